################################################################################
# Instance
################################################################################

locals {
  repository = abspath("${path.module}/../../..")
  home       = coalesce(var.home, "${local.repository}/.headwater/${var.instance}")
  python     = "${local.repository}/.venv/bin/python"

  # ports.json is read by the checks before the start, too.
  ports = { for name, offset in jsondecode(file("${path.module}/ports.json")) : name => var.port_base + offset }
}

module "instance" {
  source = "../../modules/local/instance"

  name       = var.instance
  home       = local.home
  repository = local.repository
  python     = local.python
}

################################################################################
# Log
################################################################################

module "kafka" {
  source = "../../modules/local/kafka"

  instance        = module.instance.instance
  brokers         = var.brokers
  port            = local.ports.kafka
  controller_port = local.ports.kafka_controller
}

module "connect" {
  source = "../../modules/local/connect"

  instance          = module.instance.instance
  port              = local.ports.connect
  bootstrap_servers = module.kafka.bootstrap_servers
  replication       = var.brokers
}

################################################################################
# Database
################################################################################

module "postgres" {
  source = "../../modules/local/postgres"

  instance = module.instance.instance
  port     = local.ports.postgres
}

################################################################################
# Processing
################################################################################

module "spark" {
  source = "../../modules/local/spark"

  instance = module.instance.instance
  workers  = var.workers

  app_properties = var.app_properties
  ports = {
    master    = local.ports.spark_master
    rest      = local.ports.spark_rest
    ui        = local.ports.spark_ui
    worker_ui = local.ports.spark_worker_ui
  }
}

################################################################################
# Orchestration
################################################################################

module "airflow" {
  source = "../../modules/local/airflow"

  instance = module.instance.instance
  port     = local.ports.airflow
  dags     = "${local.repository}/dags"
  postgres = {
    host = module.postgres.host
    port = module.postgres.port
  }
  spark_jobs = module.spark.jobs
}
