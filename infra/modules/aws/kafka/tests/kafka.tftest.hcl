mock_provider "aws" { source = "../mocks" }

variables {
  name           = "example"
  key            = "arn:aws:kms:eu-central-1:123456789012:key/data"
  security_group = "sg-kafka"
  log_group      = "/example/kafka"
  alarm_topic    = "arn:aws:sns:eu-central-1:123456789012:example"
  subnets = {
    eu-central-1a = { id = "subnet-a", public = false }
    eu-central-1b = { id = "subnet-b", public = false }
    eu-central-1c = { id = "subnet-c", public = false }
  }
  secrets = {
    "kafka.admin" = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:AmazonMSK_example/kafka.admin-0a1b2c"
    "kafka.apps"  = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:AmazonMSK_example/kafka.apps-0a1b2c"
  }
}

run "speaks_tls_only_and_knows_everybody" {
  assert {
    condition = (
      one(one(aws_msk_cluster.this.encryption_info).encryption_in_transit).client_broker == "TLS" &&
      one(one(aws_msk_cluster.this.encryption_info).encryption_in_transit).in_cluster &&
      one(aws_msk_cluster.this.encryption_info).encryption_at_rest_kms_key_arn == var.key
    )
    error_message = "Nothing travels or rests in plain text."
  }

  assert {
    condition = (
      !one(aws_msk_cluster.this.client_authentication).unauthenticated &&
      one(one(aws_msk_cluster.this.client_authentication).sasl).scram &&
      one(one(one(aws_msk_cluster.this.broker_node_group_info).connectivity_info).public_access).type == "DISABLED"
    )
    error_message = "Nobody unknown gets in, and nobody from outside."
  }

  assert {
    condition     = output.security_protocol == "SASL_SSL" && output.sasl_mechanism == "SCRAM-SHA-512" && length(split(",", output.bootstrap_servers)) == 3
    error_message = "Clients are told the addresses for users with a password."
  }
}

run "survives_a_broker" {
  assert {
    condition = alltrue([for line in [
      "default.replication.factor=3", "min.insync.replicas=2", "unclean.leader.election.enable=false",
      "allow.everyone.if.no.acl.found=false", "auto.create.topics.enable=false",
    ] : contains(split("\n", aws_msk_configuration.this.server_properties), line)])
    error_message = "Three copies, two of which must have what was acknowledged; and nobody without a right."
  }

  assert {
    condition     = aws_msk_cluster.this.storage_mode == "TIERED" && length(one(aws_msk_cluster.this.broker_node_group_info).client_subnets) == 3
    error_message = "Old records go to cheap storage; brokers live in three zones."
  }
}

run "gives_another_version_of_kafka_a_configuration_of_its_own" {
  variables { kafka_version = "4.0.x.kraft" }

  assert {
    condition     = aws_msk_configuration.this.name == "example-4-0-x-kraft" && aws_msk_configuration.this.kafka_versions == toset(["4.0.x.kraft"])
    error_message = "AWS takes no second one of the same name, and the first goes last."
  }
}

run "lets_msk_read_the_passwords_and_nothing_else" {
  assert {
    condition = alltrue([for policy in aws_secretsmanager_secret_policy.this : (
      jsondecode(policy.policy).Statement[0].Action == "secretsmanager:GetSecretValue" &&
      jsondecode(policy.policy).Statement[0].Resource == policy.secret_arn &&
      !contains(keys(jsondecode(policy.policy).Statement[0]), "Condition")
    )])
    error_message = "MSK reads each password, and nothing else; under a condition that it does not know it would read none, and let nobody in."
  }
}

run "raises_alarms_for_each_broker" {
  assert {
    condition     = length(aws_cloudwatch_metric_alarm.this) == 2 + 3 * 3 && alltrue([for alarm in aws_cloudwatch_metric_alarm.this : alarm.alarm_actions == toset([var.alarm_topic]) && alarm.treat_missing_data == "breaching"])
    error_message = "Silence is an alarm, too."
  }
}

run "allows_two_brokers_where_nobody_relies_on_it" {
  variables {
    production = false
    brokers    = 2
    subnets = {
      eu-central-1a = { id = "subnet-a", public = false }
      eu-central-1b = { id = "subnet-b", public = false }
    }
  }

  assert {
    condition     = strcontains(aws_msk_configuration.this.server_properties, "min.insync.replicas=1") && strcontains(aws_msk_configuration.this.server_properties, "transaction.state.log.replication.factor=2")
    error_message = "Two brokers keep two copies."
  }
}

run "rejects_public_subnet_for_brokers" {
  command = plan
  variables {
    subnets = {
      eu-central-1a = { id = "subnet-a", public = false }
      eu-central-1b = { id = "subnet-b", public = false }
      eu-central-1c = { id = "subnet-c", public = true }
    }
  }
  expect_failures = [var.subnets]
}

run "rejects_single_broker_in_production" {
  command = plan
  variables { brokers = 1 }
  expect_failures = [var.brokers]
}

run "rejects_two_zones_in_production" {
  command = plan
  variables {
    brokers = 4
    subnets = {
      eu-central-1a = { id = "subnet-a", public = false }
      eu-central-1b = { id = "subnet-b", public = false }
    }
  }
  expect_failures = [aws_msk_cluster.this]
}

run "rejects_brokers_that_cannot_be_spread" {
  command = plan
  variables { brokers = 4 }
  expect_failures = [aws_msk_cluster.this]
}

run "rejects_zookeeper" {
  command = plan
  variables { kafka_version = "3.6.0" }
  expect_failures = [var.kafka_version]
}

run "rejects_machines_without_tiered_storage" {
  command = plan
  variables { instance_type = "kafka.t3.small" }
  expect_failures = [var.instance_type]
}

run "rejects_a_cluster_without_an_administrator" {
  command = plan
  variables { secrets = {} }
  expect_failures = [var.secrets]
}
