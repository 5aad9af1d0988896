################################################################################
# Instance
################################################################################

data "aws_caller_identity" "this" {}

locals {
  repository = abspath("${path.module}/../../..")
  python     = "${local.repository}/.venv/bin/python"
  name       = "headwater-${var.instance}"
  tags       = merge({ project = "headwater", instance = var.instance }, var.tags)
  account    = { id = data.aws_caller_identity.this.account_id, region = var.region }
  zones      = [for letter in slice(var.zones, 0, var.production ? 3 : 2) : "${var.region}${letter}"]

  # The users of Kafka and PostgreSQL, each with a password of its own, as in the local environment.
  kafka_users    = toset(["admin", "apps", "carts", "console", "control", "notifier", "replay", "simulator"])
  postgres_users = toset(["headwater", "shop", "capture"])

  # The changelogs that capture writes are the topics that name a table.
  topics     = { for file in fileset("${local.repository}/spark_apps/topics", "*.yaml") : trimsuffix(file, ".yaml") => yamldecode(file("${local.repository}/spark_apps/topics/${file}")) }
  changelogs = [for name, topic in local.topics : name if try(topic.table, null) != null]

  # A view is a file that names its app; one app keeps the cold log beside its views.
  views   = { for file in fileset("${local.repository}/spark_apps/views", "[a-z]*.py") : trimsuffix(file, ".py") => one(regex("\n    app=\"([a-z0-9_]+)\"", file("${local.repository}/spark_apps/views/${file}"))) }
  apps    = { for view, app in local.views : app => view... }
  archive = one(regex("\nAPP = \"([a-z0-9_]+)\"\n", file("${local.repository}/spark_apps/archiving.py")))

  packed = "packed" # the folder of our own code, packed, beside the runtime that it needs
}

module "keys" {
  source = "../../modules/aws/keys"

  name    = local.name
  account = local.account
  tags    = local.tags
}

module "secrets" {
  source = "../../modules/aws/secrets"

  name       = local.name
  region     = var.region
  key        = module.keys.arns["secrets"]
  generation = var.password_generation
  python     = local.python
  users = merge(
    { for user in local.kafka_users : "kafka.${user}" => user },
    { for user in local.postgres_users : "postgres.${user}" => user },
  )
  tags = local.tags
}

module "observability" {
  source = "../../modules/aws/observability"

  name        = local.name
  account     = local.account
  key         = module.keys.arns["data"]
  emails      = var.alarm_emails
  application = trimprefix(module.spark.master, "emr-serverless://")
  tags        = local.tags
}

module "network" {
  source = "../../modules/aws/network"

  name           = local.name
  account        = local.account
  cidr           = var.cidr
  zones          = local.zones
  endpoint_zones = var.production ? 2 : 1
  flow_log_group = module.observability.log_groups["network"].arn
  buckets        = values(module.storage.arns)
  tags           = local.tags
}

################################################################################
# Log
################################################################################

module "kafka" {
  source = "../../modules/aws/kafka"

  name             = local.name
  production       = var.production
  brokers          = var.brokers
  instance_type    = var.broker_type
  volume_gigabytes = var.broker_gigabytes
  subnets          = module.network.subnets
  security_group   = module.network.security_groups["kafka"]
  key              = module.keys.arns["data"]
  secrets          = { for name, arn in module.secrets.arns : name => arn if startswith(name, "kafka.") }
  log_group        = module.observability.log_groups["kafka"].name
  alarm_topic      = module.observability.alarm_topic
  tags             = local.tags
}

module "cdc" {
  source = "../../modules/aws/cdc"

  name           = local.name
  account        = local.account
  plugin         = { bucket_arn = module.storage.arns["artifacts"], key = "runtime/debezium.zip" }
  connector      = var.connector
  kafka          = { arn = module.kafka.arn, bootstrap_servers = module.kafka.bootstrap_servers_for_roles }
  topics         = local.changelogs
  subnets        = module.network.subnets
  security_group = module.network.security_groups["connect"]
  log_group      = module.observability.log_groups["connect"].name
  secret         = { name = "${module.secrets.prefix}postgres.capture", arn = module.secrets.arns["postgres.capture"] }
  secrets_key    = module.keys.arns["secrets"]
  alarm_topic    = module.observability.alarm_topic
  tags           = local.tags
}

################################################################################
# Database
################################################################################

module "database" {
  source = "../../modules/aws/database"

  name           = local.name
  account        = local.account
  production     = var.production
  instance_class = var.database_class
  subnets        = module.network.subnets
  security_group = module.network.security_groups["database"]
  key            = module.keys.arns["data"]
  secrets_key    = module.keys.arns["secrets"]
  alarm_topic    = module.observability.alarm_topic
  tags           = local.tags
}

################################################################################
# Storage
################################################################################

module "storage" {
  source = "../../modules/aws/storage"

  name       = local.name
  account    = local.account
  key        = module.keys.arns["data"]
  disposable = !var.production
  tags       = local.tags
}

module "catalog" {
  source = "../../modules/aws/catalog"

  name          = local.name
  account       = local.account
  warehouse     = module.storage.urls["warehouse"]
  warehouse_arn = module.storage.arns["warehouse"]
  key           = module.keys.arns["data"]
  tags          = local.tags
}

################################################################################
# Processing
################################################################################

module "spark" {
  source = "../../modules/aws/spark"

  name           = local.name
  account        = local.account
  release_label  = var.emr_release
  apps           = local.apps
  archive        = local.archive
  app_properties = var.app_properties
  subnets        = module.network.subnets
  security_group = module.network.security_groups["spark"]
  code           = "${module.storage.urls["artifacts"]}/runtime"
  packed         = local.packed
  buckets        = module.storage.arns
  keys           = [module.keys.arns["data"], module.keys.arns["secrets"]]
  secrets        = { for name in ["kafka.apps", "kafka.control", "kafka.replay", "postgres.headwater"] : name => module.secrets.arns[name] }
  log_group      = module.observability.log_groups["spark"]
  tags           = local.tags
}

################################################################################
# Orchestration
################################################################################

locals {
  # A person is erased by a DAG: it opens what their key has sealed, and then destroys the key.
  erasing = [{
    Sid      = "UsePeoplesKeys"
    Effect   = "Allow"
    Action   = ["kms:Decrypt", "kms:GenerateDataKey"]
    Resource = [module.keys.arns["erasure"]]
  }]
}

module "airflow" {
  source = "../../modules/aws/airflow"

  name            = local.name
  account         = local.account
  airflow_version = var.airflow_version
  subnets         = module.network.subnets
  security_group  = module.network.security_groups["airflow"]
  key             = module.keys.arns["data"]
  bucket          = { name = module.storage.buckets["airflow"], arn = module.storage.arns["airflow"] }
  dags            = "${local.repository}/dags"
  requirements    = "${path.module}/airflow-requirements.txt"
  plugins         = var.airflow_plugins
  outputs         = jsonencode(merge(local.outputs, { airflow_url = "mwaa://${local.name}" })) # its address it cannot know before it exists
  secrets         = { for name in ["kafka.admin", "kafka.apps", "kafka.control", "kafka.replay", "postgres.headwater", "postgres.shop"] : name => module.secrets.arns[name] }
  secrets_key     = module.keys.arns["secrets"]
  lake            = module.storage.arns
  packed          = local.packed
  statements      = concat(module.spark.submission, module.catalog.publishing, module.cdc.watching, local.erasing)
  tags            = local.tags
}
