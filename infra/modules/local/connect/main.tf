################################################################################
# Worker
################################################################################

locals {
  folder = "${var.instance.home}/connect"
}

module "process" {
  source = "../process"

  instance = var.instance
  name     = "connect"

  files = {
    "connect/log4j2.properties" = file("${path.module}/templates/log4j2.properties")
    # Connectors name these secrets; only the worker reads them.
    "connect/secrets.properties" = "postgres.capture=@{postgres.capture}\n"
    "connect/worker.properties" = templatefile("${path.module}/templates/worker.properties.tftpl", {
      bootstrap_servers = var.bootstrap_servers
      replication       = var.replication
      port              = var.port
      folder            = local.folder
      plugins           = "${local.folder}/plugins"
    })
  }

  programs = {
    connect = {
      command = [
        "java", "-Xms64m", "-Xmx${var.heap}", "-XX:+ExitOnOutOfMemoryError", "-XX:+UseSerialGC", "-Djava.awt.headless=true",
        "-Dlog4j2.configurationFile=${local.folder}/log4j2.properties",
        "-cp", "${var.instance.home}/jvm/kafka/*", "org.apache.kafka.connect.cli.ConnectDistributed",
        "${local.folder}/worker.properties",
      ]
      port = var.port
    }
  }

  facts = {
    url               = "http://127.0.0.1:${var.port}"
    bootstrap_servers = var.bootstrap_servers
  }
}
