################################################################################
# Server
################################################################################

locals {
  folder = "${var.instance.home}/postgres"
}

module "process" {
  source = "../process"

  instance     = var.instance
  name         = "postgres"
  unprivileged = true # PostgreSQL refuses to run as root

  files = {
    "postgres/pg_hba.conf" = file("${path.module}/templates/pg_hba.conf")
    "postgres/postgresql.conf" = templatefile("${path.module}/templates/postgresql.conf.tftpl", {
      folder          = local.folder
      port            = var.port
      max_connections = var.max_connections
    })
  }

  programs = {
    postgres = {
      command      = ["${local.folder}/server/bin/postgres", "-D", "${local.folder}/data", "-c", "config_file=${local.folder}/postgresql.conf"]
      port         = var.port
      stop_signal  = "INT" # "fast" shutdown: ends sessions, writes a checkpoint
      stop_seconds = 30
    }
  }

  facts = {
    port = tostring(var.port)
  }
}
