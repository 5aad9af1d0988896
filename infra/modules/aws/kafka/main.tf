################################################################################
# Cluster
################################################################################

locals {
  properties = {
    "auto.create.topics.enable"                = "false"
    "allow.everyone.if.no.acl.found"           = "false" # nobody without an entry in the access control list
    "default.replication.factor"               = tostring(min(var.brokers, 3))
    "min.insync.replicas"                      = tostring(min(var.brokers, 3) - 1)
    "offsets.topic.replication.factor"         = tostring(min(var.brokers, 3))
    "transaction.state.log.replication.factor" = tostring(min(var.brokers, 3))
    "transaction.state.log.min.isr"            = tostring(min(var.brokers, 3) - 1)
    "unclean.leader.election.enable"           = "false" # rather no answer than a wrong one
    "message.max.bytes"                        = "1048588"
  }
}

# One for each version of Kafka: for another version it is made anew, and the new one is there before the old one goes.
resource "aws_msk_configuration" "this" {
  name              = "${var.name}-${replace(var.kafka_version, ".", "-")}"
  kafka_versions    = [var.kafka_version]
  server_properties = join("\n", [for name, value in local.properties : "${name}=${value}"])

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_msk_cluster" "this" {
  cluster_name           = var.name
  kafka_version          = var.kafka_version
  number_of_broker_nodes = var.brokers
  storage_mode           = "TIERED"
  enhanced_monitoring    = "PER_BROKER" # the lag of consumer groups is told at every level

  broker_node_group_info {
    instance_type   = var.instance_type
    client_subnets  = [for subnet in var.subnets : subnet.id]
    security_groups = [var.security_group]
    storage_info {
      ebs_storage_info {
        volume_size = var.volume_gigabytes
      }
    }
    connectivity_info {
      public_access {
        type = "DISABLED"
      }
    }
  }

  configuration_info {
    arn      = aws_msk_configuration.this.arn
    revision = aws_msk_configuration.this.latest_revision
  }

  encryption_info {
    encryption_at_rest_kms_key_arn = var.key
    encryption_in_transit {
      client_broker = "TLS"
      in_cluster    = true
    }
  }

  # Apps have passwords, as everywhere. MSK Connect knows roles only, and the first administrator needs one:
  # without an entry in the list nobody else could make the first entry.
  client_authentication {
    unauthenticated = false
    sasl {
      scram = true
      iam   = true
    }
  }

  open_monitoring {
    prometheus {
      jmx_exporter {
        enabled_in_broker = true
      }
      node_exporter {
        enabled_in_broker = true
      }
    }
  }

  logging_info {
    broker_logs {
      cloudwatch_logs {
        enabled   = true
        log_group = var.log_group
      }
    }
  }

  tags = var.tags

  lifecycle {
    precondition {
      condition     = var.brokers % length(var.subnets) == 0
      error_message = "Brokers are spread evenly: their number is a multiple of the number of subnets."
    }
    precondition {
      condition     = !var.production || (var.brokers >= 3 && length(var.subnets) >= 3)
      error_message = "In production a zone may fail: at least 3 brokers in 3 zones."
    }
  }
}

################################################################################
# Users
################################################################################

resource "aws_msk_scram_secret_association" "this" {
  cluster_arn     = aws_msk_cluster.this.arn
  secret_arn_list = values(var.secrets)
}

# MSK reads the passwords itself, and does not say for which cluster. That no cluster of somebody else reads them is in
# the policy of their key, which knows this account alone.
resource "aws_secretsmanager_secret_policy" "this" {
  for_each = var.secrets

  secret_arn = each.value
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "Kafka"
      Effect    = "Allow"
      Principal = { Service = "kafka.amazonaws.com" }
      Action    = "secretsmanager:GetSecretValue"
      Resource  = each.value
    }]
  })
}

################################################################################
# Alarms
################################################################################

locals {
  alarms = {
    no-controller = {
      metric      = "ActiveControllerCount"
      statistic   = "Maximum"
      comparison  = "LessThanThreshold"
      threshold   = 1
      description = "The cluster has no controller."
    }
    offline-partitions = {
      metric      = "OfflinePartitionsCount"
      statistic   = "Maximum"
      comparison  = "GreaterThanThreshold"
      threshold   = 0
      description = "Partitions cannot be read or written."
    }
    under-replicated = {
      metric      = "UnderMinIsrPartitionCount"
      statistic   = "Maximum"
      comparison  = "GreaterThanThreshold"
      threshold   = 0
      description = "Partitions cannot be written: too few replicas keep up."
    }
    disk = {
      metric      = "KafkaDataLogsDiskUsed"
      statistic   = "Maximum"
      comparison  = "GreaterThanThreshold"
      threshold   = 80
      description = "A broker's disk is nearly full."
    }
    processor = {
      metric      = "CpuUser"
      statistic   = "Average"
      comparison  = "GreaterThanThreshold"
      threshold   = 60
      description = "Brokers are too busy to take over from one that fails."
    }
  }
  # These are said by each broker for itself.
  by_broker = ["under-replicated", "disk", "processor"]
  watched = merge(
    { for name, alarm in local.alarms : name => merge(alarm, { broker = null }) if !contains(local.by_broker, name) },
    merge([for broker in range(1, var.brokers + 1) : {
      for name in local.by_broker : "${name}-${broker}" => merge(local.alarms[name], { broker = tostring(broker) })
    }]...),
  )
}

resource "aws_cloudwatch_metric_alarm" "this" {
  for_each = local.watched

  alarm_name          = "${var.name}-kafka-${each.key}"
  alarm_description   = each.value.description
  namespace           = "AWS/Kafka"
  metric_name         = each.value.metric
  dimensions          = { for name, value in { "Cluster Name" = var.name, "Broker ID" = each.value.broker } : name => value if value != null }
  statistic           = each.value.statistic
  comparison_operator = each.value.comparison
  threshold           = each.value.threshold
  period              = 60
  evaluation_periods  = 5
  treat_missing_data  = "breaching"
  alarm_actions       = [var.alarm_topic]
  ok_actions          = [var.alarm_topic]

  tags = var.tags
}
