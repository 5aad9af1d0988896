# The contract of every environment: exactly the fields of `Settings` in headwater/settings.py.

################################################################################
# Instance
################################################################################

output "instance" {
  description = "Name of the instance."
  value       = var.instance
}

output "home" {
  description = "Folder of the instance."
  value       = local.home
}

output "secrets_file" {
  description = "File with the generated secrets, mode 0600."
  value       = "${local.home}/secrets.json"
}

################################################################################
# Log
################################################################################

output "kafka_bootstrap_servers" {
  description = "Addresses of the brokers."
  value       = module.kafka.bootstrap_servers
}

output "kafka_security_protocol" {
  description = "Security protocol that Kafka clients speak."
  value       = module.kafka.security_protocol
}

output "kafka_sasl_mechanism" {
  description = "How Kafka clients prove who they are."
  value       = module.kafka.sasl_mechanism
}

output "connect_url" {
  description = "Address of Kafka Connect's REST interface."
  value       = module.connect.url
}

output "connect_capture_password" {
  description = "What the worker looks up the password of the database's role `capture` by."
  value       = module.connect.capture_password
}

################################################################################
# Database
################################################################################

output "postgres_host" {
  description = "Address of PostgreSQL: registry, Iceberg catalog, shop database, Airflow's database."
  value       = module.postgres.host
}

output "postgres_port" {
  description = "Port of PostgreSQL."
  value       = module.postgres.port
}

output "postgres_sslmode" {
  description = "How clients of PostgreSQL encrypt, in its own words."
  value       = module.postgres.sslmode
}

################################################################################
# Storage
################################################################################

output "warehouse" {
  description = "Where Iceberg tables live."
  value       = "${local.home}/warehouse"
}

output "glue_database" {
  description = "None: a copy of the catalog is a matter of AWS."
  value       = ""
}

output "checkpoints" {
  description = "Where streaming apps keep their checkpoints."
  value       = "${local.home}/checkpoints"
}

output "artifacts" {
  description = "Where packed code lives."
  value       = "${local.home}/artifacts"
}

################################################################################
# Processing
################################################################################

output "spark_master" {
  description = "Address of the Spark master for drivers."
  value       = module.spark.master
}

output "spark_rest_url" {
  description = "Address for the submission of drivers; wants a signed token."
  value       = module.spark.rest_url
}

output "spark_ui_url" {
  description = "Address of the Spark master's pages."
  value       = module.spark.ui_url
}

output "spark_app_properties" {
  description = "Spark properties of every streaming app."
  value       = module.spark.app_properties
}

output "spark_roles" {
  description = "None: roles of apps are a matter of AWS."
  value       = {}
}

output "spark_log_group" {
  description = "None: drivers write their logs on the worker that runs them."
  value       = ""
}

output "spark_jars" {
  description = "Folder with the jars that every Spark session needs."
  value       = "${local.home}/jvm/spark"
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
  value       = var.notification_channels
}
