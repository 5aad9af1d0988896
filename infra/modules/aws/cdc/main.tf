################################################################################
# Plugin
################################################################################

resource "aws_mskconnect_custom_plugin" "this" {
  name         = "${var.name}-debezium"
  content_type = "ZIP"
  location {
    s3 {
      bucket_arn = var.plugin.bucket_arn
      file_key   = var.plugin.key
    }
  }

  tags = var.tags
}

resource "aws_mskconnect_worker_configuration" "this" {
  name = var.name
  properties_file_content = join("\n", [
    "key.converter=org.apache.kafka.connect.storage.StringConverter",
    "value.converter=org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable=false",
    # Connectors name a secret; only the worker reads it.
    "config.providers=secretsmanager",
    "config.providers.secretsmanager.class=com.amazonaws.kafka.config.providers.SecretsManagerConfigProvider",
    "config.providers.secretsmanager.param.region=${var.account.region}",
  ])

  tags = var.tags
}

################################################################################
# Connector
################################################################################

# Made in the second step: its configuration names tables, which the shop must have made.
resource "aws_mskconnect_connector" "this" {
  count = length(var.connector) > 0 ? 1 : 0

  name                       = "${var.name}-capture"
  kafkaconnect_version       = var.connect_version
  service_execution_role_arn = aws_iam_role.this.arn

  # MSK Connect promises "at least once"; repeats are dropped downstream, by their place in the database's log.
  connector_configuration = merge(var.connector, { "exactly.once.support" = "requested" })

  capacity {
    provisioned_capacity {
      mcu_count    = 1
      worker_count = 1 # a database's log has one reader
    }
  }

  kafka_cluster {
    apache_kafka_cluster {
      bootstrap_servers = var.kafka.bootstrap_servers
      vpc {
        subnets         = [for subnet in var.subnets : subnet.id]
        security_groups = [var.security_group]
      }
    }
  }

  kafka_cluster_client_authentication {
    authentication_type = "IAM"
  }

  kafka_cluster_encryption_in_transit {
    encryption_type = "TLS"
  }

  plugin {
    custom_plugin {
      arn      = aws_mskconnect_custom_plugin.this.arn
      revision = aws_mskconnect_custom_plugin.this.latest_revision
    }
  }

  worker_configuration {
    arn      = aws_mskconnect_worker_configuration.this.arn
    revision = aws_mskconnect_worker_configuration.this.latest_revision
  }

  log_delivery {
    worker_log_delivery {
      cloudwatch_logs {
        enabled   = true
        log_group = var.log_group
      }
    }
  }

  tags = var.tags
}

################################################################################
# Role
################################################################################

locals {
  topics       = replace(var.kafka.arn, ":cluster/", ":topic/")
  groups       = replace(var.kafka.arn, ":cluster/", ":group/")
  transactions = replace(var.kafka.arn, ":cluster/", ":transactional-id/")
  own          = "__amazon_msk_connect_*" # Connect's own topics and groups
  written      = [for topic in sort(var.topics) : "${local.topics}/${topic}"]
  heartbeat    = "connect-heartbeat.*" # no file declares it: it tells of nothing, and Connect makes it itself
}

resource "aws_iam_role" "this" {
  name = "${var.name}-capture"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "kafkaconnect.amazonaws.com" }
      Action    = "sts:AssumeRole"
      Condition = { StringEquals = { "aws:SourceAccount" = var.account.id } }
    }]
  })

  tags = var.tags
}

resource "aws_iam_role_policy" "this" {
  name = "capture"
  role = aws_iam_role.this.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Sid      = "Connect"
        Effect   = "Allow"
        Action   = ["kafka-cluster:Connect", "kafka-cluster:DescribeCluster", "kafka-cluster:WriteDataIdempotently"]
        Resource = [var.kafka.arn]
      },
      {
        Sid      = "WriteChangelogs"
        Effect   = "Allow"
        Action   = ["kafka-cluster:DescribeTopic", "kafka-cluster:WriteData"]
        Resource = local.written
      },
      {
        Sid      = "BeatHeart"
        Effect   = "Allow"
        Action   = ["kafka-cluster:CreateTopic", "kafka-cluster:DescribeTopic", "kafka-cluster:WriteData"]
        Resource = ["${local.topics}/${local.heartbeat}"]
      },
      {
        Sid      = "KeepOwnState"
        Effect   = "Allow"
        Action   = ["kafka-cluster:CreateTopic", "kafka-cluster:DescribeTopic", "kafka-cluster:ReadData", "kafka-cluster:WriteData"]
        Resource = ["${local.topics}/${local.own}"]
      },
      {
        Sid      = "JoinOwnGroup"
        Effect   = "Allow"
        Action   = ["kafka-cluster:AlterGroup", "kafka-cluster:DescribeGroup"]
        Resource = ["${local.groups}/${local.own}", "${local.groups}/connect-*"]
      },
      {
        Sid      = "WriteInTransactions"
        Effect   = "Allow"
        Action   = ["kafka-cluster:AlterTransactionalId", "kafka-cluster:DescribeTransactionalId"]
        Resource = ["${local.transactions}/connect-*"]
      },
      {
        Sid      = "ReadPassword"
        Effect   = "Allow"
        Action   = ["secretsmanager:GetSecretValue"]
        Resource = [var.secret.arn]
      },
      {
        Sid      = "Decrypt"
        Effect   = "Allow"
        Action   = ["kms:Decrypt"]
        Resource = [var.secrets_key]
      },
    ]
  })
}

################################################################################
# Alarms
################################################################################

locals {
  # AWS tells how many tasks run and have failed: a connector whose only task has failed still calls itself running.
  alarms = {
    stopped = { metric = "RunningTaskCount", comparison = "LessThanThreshold", threshold = 1, missing = "breaching" }
    failed  = { metric = "ErroredTaskCount", comparison = "GreaterThanThreshold", threshold = 0, missing = "notBreaching" }
  }
}

resource "aws_cloudwatch_metric_alarm" "this" {
  for_each = { for name, alarm in local.alarms : name => alarm if length(var.connector) > 0 }

  alarm_name          = "${var.name}-capture-${each.key}"
  alarm_description   = "The database's changes do not come into the log; see docs/runbooks/capture.md."
  namespace           = "AWS/KafkaConnect"
  metric_name         = each.value.metric
  dimensions          = { ConnectorName = aws_mskconnect_connector.this[0].name }
  statistic           = "Maximum"
  comparison_operator = each.value.comparison
  threshold           = each.value.threshold
  period              = 60
  evaluation_periods  = 5
  treat_missing_data  = each.value.missing
  alarm_actions       = [var.alarm_topic]
  ok_actions          = [var.alarm_topic]

  tags = var.tags
}
