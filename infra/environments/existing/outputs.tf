# The contract of every environment: exactly the fields of `Settings` in headwater/settings.py.

################################################################################
# Instance
################################################################################

output "instance" {
  description = "Name of the instance."
  value       = local.outputs.instance
  depends_on  = [terraform_data.check]
}

output "home" {
  description = "Folder of the instance."
  value       = local.outputs.home
  depends_on  = [terraform_data.check]
}

output "secrets_file" {
  description = "Where the passwords are."
  value       = local.outputs.secrets_file
  depends_on  = [terraform_data.check]
}

################################################################################
# Log
################################################################################

output "kafka_bootstrap_servers" {
  description = "Addresses of the brokers."
  value       = local.outputs.kafka_bootstrap_servers
  depends_on  = [terraform_data.check]
}

output "kafka_security_protocol" {
  description = "Security protocol that Kafka clients speak."
  value       = local.outputs.kafka_security_protocol
  depends_on  = [terraform_data.check]
}

output "kafka_sasl_mechanism" {
  description = "How Kafka clients prove who they are."
  value       = local.outputs.kafka_sasl_mechanism
  depends_on  = [terraform_data.check]
}

output "connect_url" {
  description = "Address of Kafka Connect's REST interface."
  value       = local.outputs.connect_url
  depends_on  = [terraform_data.check]
}

output "connect_capture_password" {
  description = "What the worker looks up the password of the database's role `capture` by."
  value       = local.outputs.connect_capture_password
  depends_on  = [terraform_data.check]
}

################################################################################
# Database
################################################################################

output "postgres_host" {
  description = "Address of PostgreSQL: registry, Iceberg catalog, shop database."
  value       = local.outputs.postgres_host
  depends_on  = [terraform_data.check]
}

output "postgres_port" {
  description = "Port of PostgreSQL."
  value       = local.outputs.postgres_port
  depends_on  = [terraform_data.check]
}

################################################################################
# Storage
################################################################################

output "warehouse" {
  description = "Where Iceberg tables live."
  value       = local.outputs.warehouse
  depends_on  = [terraform_data.check]
}

output "checkpoints" {
  description = "Where streaming apps keep their checkpoints."
  value       = local.outputs.checkpoints
  depends_on  = [terraform_data.check]
}

output "artifacts" {
  description = "Where packed code lives."
  value       = local.outputs.artifacts
  depends_on  = [terraform_data.check]
}

################################################################################
# Processing
################################################################################

output "spark_master" {
  description = "Address of the Spark master for drivers."
  value       = local.outputs.spark_master
  depends_on  = [terraform_data.check]
}

output "spark_rest_url" {
  description = "Address for the submission of drivers; wants a signed token."
  value       = local.outputs.spark_rest_url
  depends_on  = [terraform_data.check]
}

output "spark_ui_url" {
  description = "Address of the Spark master's pages."
  value       = local.outputs.spark_ui_url
  depends_on  = [terraform_data.check]
}

output "spark_app_properties" {
  description = "Spark properties of every streaming app."
  value       = local.outputs.spark_app_properties
  depends_on  = [terraform_data.check]
}

output "spark_roles" {
  description = "None: roles of apps are a matter of AWS."
  value       = local.outputs.spark_roles
  depends_on  = [terraform_data.check]
}

output "spark_log_group" {
  description = "None: drivers write their logs on the worker that runs them."
  value       = local.outputs.spark_log_group
  depends_on  = [terraform_data.check]
}

output "spark_jars" {
  description = "Folder with the jars that every Spark session needs."
  value       = local.outputs.spark_jars
  depends_on  = [terraform_data.check]
}

################################################################################
# Orchestration
################################################################################

output "airflow_url" {
  description = "Address of the Airflow UI."
  value       = local.outputs.airflow_url
  depends_on  = [terraform_data.check]
}

################################################################################
# Notifications
################################################################################

output "notification_channels" {
  description = "How people hear of alerts: the channels, each with its settings."
  value       = local.outputs.notification_channels
  depends_on  = [terraform_data.check]
}
