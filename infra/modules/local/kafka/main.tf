################################################################################
# Brokers
################################################################################

locals {
  nodes = {
    for id in range(1, var.brokers + 1) : "kafka-${id}" => {
      id         = id
      client     = var.port + id - 1
      controller = var.controller_port + id - 1
    }
  }
  folder            = "${var.instance.home}/kafka"
  bootstrap_servers = join(",", [for node in local.nodes : "127.0.0.1:${node.client}"])
  voters            = join(",", [for node in local.nodes : "${node.id}@127.0.0.1:${node.controller}"])
}

module "process" {
  source = "../process"

  instance = var.instance
  name     = "kafka"

  files = merge(
    { "kafka/log4j2.properties" = file("${path.module}/templates/log4j2.properties") },
    {
      for name, node in local.nodes : "kafka/${name}.properties" => templatefile("${path.module}/templates/server.properties.tftpl", {
        node        = node
        voters      = local.voters
        data        = "${local.folder}/${name}"
        replication = var.brokers
        min_isr     = var.brokers == 3 ? 2 : 1
      })
    },
  )

  programs = {
    for name, node in local.nodes : name => {
      command = [
        "java", "-Xms128m", "-Xmx${var.heap}", "-XX:+ExitOnOutOfMemoryError", "-Djava.awt.headless=true",
        "-Dlog4j2.configurationFile=${local.folder}/log4j2.properties",
        "-cp", "${var.instance.home}/jvm/kafka/*", "kafka.Kafka", "${local.folder}/${name}.properties",
      ]
      port         = node.client
      stop_seconds = 30 # a broker that is not killed needs no recovery of its log
    }
  }

  facts = {
    bootstrap_servers = local.bootstrap_servers
    brokers           = tostring(var.brokers)
  }
}
