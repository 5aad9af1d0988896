################################################################################
# Components
################################################################################

locals {
  folder  = "${var.instance.home}/airflow"
  url     = "http://127.0.0.1:${var.port}"
  airflow = "${dirname(var.instance.python)}/airflow"

  # Tasks inherit these from the scheduler. The master of bounded jobs stands in their configuration, too; the
  # operator wants it from a connection, and nobody shall have to type one.
  environment = {
    AIRFLOW_HOME            = local.folder
    AIRFLOW_CONN_SPARK_JOBS = jsonencode({ conn_type = "spark", host = "local[2]" })
    SPARK_CONF_DIR          = var.spark_jobs
    SPARK_LOCAL_IP          = "127.0.0.1"
    PYSPARK_PYTHON          = var.instance.python
  }

  # The log servers of scheduler and triggerer listen on every address, and all components share a disk: skip them.
  components = {
    api-server    = ["api-server", "--host", "127.0.0.1", "--port", tostring(var.port), "--workers", "1"]
    scheduler     = ["scheduler", "--skip-serve-logs"]
    dag-processor = ["dag-processor"]
    triggerer     = ["triggerer", "--skip-serve-logs"]
  }
}

module "process" {
  source = "../process"

  instance = var.instance
  name     = "airflow"

  files = {
    "airflow/passwords.json" = jsonencode({ admin = "@{airflow.admin}" })
    "airflow/airflow.cfg" = templatefile("${path.module}/templates/airflow.cfg.tftpl", {
      name        = var.instance.name
      folder      = local.folder
      dags        = var.dags
      parallelism = var.parallelism
      port        = var.port
      url         = local.url
      postgres    = var.postgres
    })
  }

  programs = {
    for name, arguments in local.components : "airflow-${name}" => {
      command     = concat([local.airflow], arguments)
      environment = local.environment
      port        = name == "api-server" ? var.port : null
    }
  }

  facts = {
    url = local.url
  }
}
