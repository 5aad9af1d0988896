################################################################################
# Master
################################################################################

locals {
  folder = "${var.instance.home}/spark"
  master = "spark://127.0.0.1:${var.ports.master}"

  environment = {
    SPARK_HOME             = "@{host.spark_home}"
    SPARK_LOCAL_IP         = "127.0.0.1"
    SPARK_PUBLIC_DNS       = "127.0.0.1"
    SPARK_DAEMON_MEMORY    = "256m"
    SPARK_DAEMON_JAVA_OPTS = "-XX:+ExitOnOutOfMemoryError -XX:+UseSerialGC -XX:TieredStopAtLevel=1" # little to do: start quickly, stay small
    PYSPARK_PYTHON         = var.instance.python
    PYSPARK_DRIVER_PYTHON  = var.instance.python
  }

  master_program = {
    spark-master = {
      command = [
        "@{host.spark_home}/bin/spark-class", "org.apache.spark.deploy.master.Master",
        "--host", "127.0.0.1", "--port", tostring(var.ports.master), "--webui-port", tostring(var.ports.ui),
      ]
      environment = merge(local.environment, { SPARK_CONF_DIR = "${local.folder}/master" })
      port        = var.ports.master
    }
  }

  ##############################################################################
  # Apps
  ##############################################################################

  # One driver and one executor for each app, sized for a laptop; their logs are for people.
  app_properties = {
    "spark.driver.cores"    = "1"
    "spark.driver.memory"   = "1g"
    "spark.executor.memory" = "1536m"
    "spark.executor.cores"  = "2"
    "spark.cores.max"       = "2"
    "spark.log.level"       = "WARN"
    # The secret itself is no property: drivers read it for themselves.
    "spark.authenticate"           = "true"
    "spark.network.crypto.enabled" = "true"
    # A driver plans small batches and computes little: the thorough compiler took a third of its first three
    # quarters of a minute of processor time.
    "spark.driver.extraJavaOptions"   = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
    "spark.executor.extraJavaOptions" = local.computing
  }

  # Every query brings code of its own, and most of it runs for a few thousand rows: half of an executor's
  # processor time went into compiling it well. What a replay runs millions of times still is.
  computing = join(" ", [
    "-XX:Tier4InvocationThreshold=100000", "-XX:Tier4MinInvocationThreshold=20000",
    "-XX:Tier4CompileThreshold=200000", "-XX:Tier4BackEdgeThreshold=1000000",
    "-XX:ReservedCodeCacheSize=240m", "-XX:+UseSerialGC",
  ])

  ##############################################################################
  # Workers
  ##############################################################################

  # A worker's RPC port is not fixed on purpose: when master and worker die together, the master comes back and
  # greets the old worker at the old port. A new worker that answers there believes itself registered, and waits
  # for ever.
  worker_programs = {
    for number in range(var.workers) : "spark-worker-${number + 1}" => {
      command = [
        "@{host.spark_home}/bin/spark-class", "org.apache.spark.deploy.worker.Worker",
        "--host", "127.0.0.1", "--webui-port", tostring(var.ports.worker_ui + number),
        "--cores", tostring(var.cores), "--memory", var.memory,
        "-d", "${local.folder}/work/${number + 1}", local.master,
      ]
      environment = merge(local.environment, { SPARK_CONF_DIR = "${local.folder}/worker" })
      port        = var.ports.worker_ui + number
    }
  }
}

module "process" {
  source = "../process"

  instance = var.instance
  name     = "spark"

  # Three folders: drivers inherit the worker's; whoever submits a job names the third, which holds no secret.
  files = {
    "spark/master/spark-defaults.conf" = templatefile("${path.module}/templates/master.conf.tftpl", {
      folder = local.folder
      port   = var.ports.rest
    })
    "spark/worker/spark-defaults.conf" = file("${path.module}/templates/worker.conf")
    "spark/jobs/spark-defaults.conf" = templatefile("${path.module}/templates/jobs.conf.tftpl", {
      memory  = var.job_memory
      jars    = "${var.instance.home}/jvm/spark"
      options = local.computing
    })
    "spark/jobs/log4j2.properties" = file("${path.module}/templates/jobs-log4j2.properties")
  }

  programs = merge(local.master_program, local.worker_programs)

  facts = {
    ui_url  = "http://127.0.0.1:${var.ports.ui}"
    workers = tostring(var.workers)
  }
}
