# The contract of every environment: exactly the fields of `Settings` in headwater/settings.py. They come out of the
# check, so that there is none if it fails.

################################################################################
# Instance
################################################################################

output "instance" {
  description = "Name of the instance."
  value       = terraform_data.check.output.instance
}

output "home" {
  description = "Folder of the instance."
  value       = terraform_data.check.output.home
}

output "secrets_file" {
  description = "Where the passwords are."
  value       = terraform_data.check.output.secrets_file
}

################################################################################
# Log
################################################################################

output "kafka_bootstrap_servers" {
  description = "Addresses of the brokers."
  value       = terraform_data.check.output.kafka_bootstrap_servers
}

output "kafka_security_protocol" {
  description = "Security protocol that Kafka clients speak."
  value       = terraform_data.check.output.kafka_security_protocol
}

output "kafka_sasl_mechanism" {
  description = "How Kafka clients prove who they are."
  value       = terraform_data.check.output.kafka_sasl_mechanism
}

output "connect_url" {
  description = "Address of Kafka Connect's REST interface."
  value       = terraform_data.check.output.connect_url
}

output "connect_capture_password" {
  description = "What the worker looks up the password of the database's role `capture` by."
  value       = terraform_data.check.output.connect_capture_password
}

################################################################################
# Database
################################################################################

output "postgres_host" {
  description = "Address of PostgreSQL: registry, Iceberg catalog, shop database."
  value       = terraform_data.check.output.postgres_host
}

output "postgres_port" {
  description = "Port of PostgreSQL."
  value       = terraform_data.check.output.postgres_port
}

output "postgres_sslmode" {
  description = "How clients of PostgreSQL encrypt, in its own words."
  value       = terraform_data.check.output.postgres_sslmode
}

################################################################################
# Storage
################################################################################

output "warehouse" {
  description = "Where Iceberg tables live."
  value       = terraform_data.check.output.warehouse
}

output "glue_database" {
  description = "None: a copy of the catalog is a matter of AWS."
  value       = terraform_data.check.output.glue_database
}

output "checkpoints" {
  description = "Where streaming apps keep their checkpoints."
  value       = terraform_data.check.output.checkpoints
}

output "artifacts" {
  description = "Where packed code lives."
  value       = terraform_data.check.output.artifacts
}

################################################################################
# Processing
################################################################################

output "spark_master" {
  description = "Address of the Spark master for drivers."
  value       = terraform_data.check.output.spark_master
}

output "spark_rest_url" {
  description = "Address for the submission of drivers; wants a signed token."
  value       = terraform_data.check.output.spark_rest_url
}

output "spark_ui_url" {
  description = "Address of the Spark master's pages."
  value       = terraform_data.check.output.spark_ui_url
}

output "spark_app_properties" {
  description = "Spark properties of every streaming app."
  value       = terraform_data.check.output.spark_app_properties
}

output "spark_roles" {
  description = "None: roles of apps are a matter of AWS."
  value       = terraform_data.check.output.spark_roles
}

output "spark_log_group" {
  description = "None: drivers write their logs on the worker that runs them."
  value       = terraform_data.check.output.spark_log_group
}

output "spark_jars" {
  description = "Folder with the jars that every Spark session needs."
  value       = terraform_data.check.output.spark_jars
}

################################################################################
# Orchestration
################################################################################

output "airflow_url" {
  description = "Address of the Airflow UI."
  value       = terraform_data.check.output.airflow_url
}

################################################################################
# Notifications
################################################################################

output "notification_channels" {
  description = "How people hear of alerts: the channels, each with its settings."
  value       = terraform_data.check.output.notification_channels
}
