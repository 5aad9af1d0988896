# The contract of every environment: exactly the fields of `Settings` in headwater/settings.py.

locals {
  # Once more as a whole, for Airflow's tasks and Spark's drivers, who read it instead of a file.
  outputs = {
    instance                 = var.instance
    home                     = "/tmp/headwater/${var.instance}"
    secrets_file             = "secretsmanager:${module.secrets.prefix}"
    kafka_bootstrap_servers  = module.kafka.bootstrap_servers
    kafka_security_protocol  = module.kafka.security_protocol
    kafka_sasl_mechanism     = module.kafka.sasl_mechanism
    connect_url              = module.cdc.connector
    connect_capture_password = module.cdc.capture_password
    postgres_host            = module.database.host
    postgres_port            = module.database.port
    postgres_sslmode         = module.database.sslmode
    warehouse                = module.storage.urls["warehouse"]
    glue_database            = module.catalog.databases["views"]
    checkpoints              = module.storage.urls["checkpoints"]
    artifacts                = "${module.storage.urls["artifacts"]}/${local.packed}"
    spark_master             = module.spark.master
    spark_rest_url           = module.spark.rest_url
    spark_ui_url             = module.spark.ui_url
    spark_app_properties     = module.spark.app_properties
    spark_roles              = module.spark.roles
    spark_log_group          = module.observability.log_groups["spark"].name
    spark_jars               = "${module.storage.urls["artifacts"]}/runtime/jars"
    notification_channels    = var.notification_channels
  }
}

################################################################################
# Instance
################################################################################

output "instance" {
  description = "Name of the instance."
  value       = local.outputs.instance
}

output "home" {
  description = "Folder for what a process keeps while it runs; nothing in it lasts."
  value       = local.outputs.home
}

output "secrets_file" {
  description = "Where the secrets are: in Secrets Manager, under names that begin like this."
  value       = local.outputs.secrets_file
}

################################################################################
# Log
################################################################################

output "kafka_bootstrap_servers" {
  description = "Addresses of the brokers."
  value       = local.outputs.kafka_bootstrap_servers
}

output "kafka_security_protocol" {
  description = "Security protocol that Kafka clients speak."
  value       = local.outputs.kafka_security_protocol
}

output "kafka_sasl_mechanism" {
  description = "How Kafka clients prove who they are."
  value       = local.outputs.kafka_sasl_mechanism
}

output "connect_url" {
  description = "ARN of the connector in MSK Connect, which has no REST interface; empty in the first step."
  value       = local.outputs.connect_url
}

output "connect_capture_password" {
  description = "What the worker looks up the password of the database's role `capture` by."
  value       = local.outputs.connect_capture_password
}

################################################################################
# Database
################################################################################

output "postgres_host" {
  description = "Address of PostgreSQL: registry, Iceberg catalog, shop database."
  value       = local.outputs.postgres_host
}

output "postgres_port" {
  description = "Port of PostgreSQL."
  value       = local.outputs.postgres_port
}

output "postgres_sslmode" {
  description = "How clients of PostgreSQL encrypt, in its own words."
  value       = local.outputs.postgres_sslmode
}

################################################################################
# Storage
################################################################################

output "warehouse" {
  description = "Where Iceberg tables live."
  value       = local.outputs.warehouse
}

output "glue_database" {
  description = "Database of Glue that shows the views to AWS's own tools."
  value       = local.outputs.glue_database
}

output "checkpoints" {
  description = "Where streaming apps keep their checkpoints."
  value       = local.outputs.checkpoints
}

output "artifacts" {
  description = "Where packed code lives."
  value       = local.outputs.artifacts
}

################################################################################
# Processing
################################################################################

output "spark_master" {
  description = "The EMR Serverless application; its scheme chooses the engine."
  value       = local.outputs.spark_master
}

output "spark_rest_url" {
  description = "Address for the submission of drivers; wants AWS's signature."
  value       = local.outputs.spark_rest_url
}

output "spark_ui_url" {
  description = "Page of the application in AWS's console."
  value       = local.outputs.spark_ui_url
}

output "spark_app_properties" {
  description = "Spark properties of every streaming app."
  value       = local.outputs.spark_app_properties
}

output "spark_roles" {
  description = "AWS role of each app and job; `replay` is that of apps of one version, `jobs` that of jobs that only look."
  value       = local.outputs.spark_roles
}

output "spark_log_group" {
  description = "Log group that drivers and executors write to."
  value       = local.outputs.spark_log_group
}

output "spark_jars" {
  description = "Folder with the jars that every Spark session needs."
  value       = local.outputs.spark_jars
}

################################################################################
# Orchestration
################################################################################

output "airflow_url" {
  description = "Address of the Airflow UI."
  value       = module.airflow.url
}

################################################################################
# Notifications
################################################################################

output "notification_channels" {
  description = "How people hear of alerts: the channels, each with its settings."
  value       = local.outputs.notification_channels
}
