################################################################################
# Instance
################################################################################

locals {
  repository = abspath("${path.module}/../../..")
  home       = coalesce(var.home, "${local.repository}/.headwater/${var.instance}")
  python     = "${local.repository}/.venv/bin/python"

  outputs = {
    instance                 = var.instance
    home                     = local.home
    secrets_file             = var.secrets_file
    kafka_bootstrap_servers  = var.kafka.bootstrap_servers
    kafka_security_protocol  = var.kafka.security_protocol
    kafka_sasl_mechanism     = var.kafka.sasl_mechanism
    connect_url              = var.connect.url
    connect_capture_password = var.connect.capture_password
    postgres_host            = var.postgres.host
    postgres_port            = var.postgres.port
    postgres_sslmode         = var.postgres.sslmode
    warehouse                = var.storage.warehouse
    glue_database            = ""
    checkpoints              = var.storage.checkpoints
    artifacts                = var.storage.artifacts
    spark_master             = var.spark.master
    spark_rest_url           = var.spark.rest_url
    spark_ui_url             = var.spark.ui_url
    spark_app_properties     = var.spark.app_properties
    spark_roles              = {}
    spark_log_group          = ""
    spark_jars               = var.spark.jars
    airflow_url              = var.airflow_url
    notification_channels    = var.notification_channels
  }
}

################################################################################
# Check
################################################################################

# Nothing is made here but this look: every part is asked, at each apply that changes what it is asked.
resource "terraform_data" "check" {
  input            = local.outputs
  triggers_replace = local.outputs

  provisioner "local-exec" {
    command     = "${local.python} -m headwater.cli check"
    environment = { HEADWATER_ENVIRONMENT = base64encode(jsonencode(local.outputs)) }
  }
}
