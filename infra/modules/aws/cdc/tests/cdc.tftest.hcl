mock_provider "aws" { source = "../mocks" }

variables {
  name           = "example"
  account        = { id = "123456789012", region = "eu-central-1" }
  plugin         = { bucket_arn = "arn:aws:s3:::example-artifacts", key = "runtime/debezium.zip" }
  kafka          = { arn = "arn:aws:kafka:eu-central-1:123456789012:cluster/example/0a1b", bootstrap_servers = "b-1.example:9098" }
  subnets        = { eu-central-1a = { id = "subnet-a", public = false } }
  security_group = "sg-connect"
  log_group      = "/example/connect"
  alarm_topic    = "arn:aws:sns:eu-central-1:123456789012:example"
  topics         = ["users", "orders"]
  secrets_key    = "arn:aws:kms:eu-central-1:123456789012:key/secrets"
  secret         = { name = "AmazonMSK_example/postgres.capture", arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:AmazonMSK_example/postgres.capture-0a1b2c" }
}

run "makes_no_connector_before_there_are_tables" {
  assert {
    condition     = length(aws_mskconnect_connector.this) == 0 && length(aws_cloudwatch_metric_alarm.this) == 0 && output.capture_password == "$${secretsmanager:AmazonMSK_example/postgres.capture:password}"
    error_message = "The first step makes plugin and role, and says how the password is looked up."
  }

  assert {
    condition     = output.connector == "" && output.watching[0].Resource == ["arn:aws:kafkaconnect:eu-central-1:123456789012:connector/example-capture/*"]
    error_message = "Whoever supervises may see this connector, once there is one, and start it again."
  }
}

run "makes_the_connector_with_one_worker_over_tls" {
  variables {
    connector = { "tasks.max" = "1", "database.password" = "$${secretsmanager:AmazonMSK_example/postgres.capture:password}", "exactly.once.support" = "required" }
  }

  assert {
    condition = (
      aws_mskconnect_connector.this[0].kafka_cluster_encryption_in_transit[0].encryption_type == "TLS" &&
      aws_mskconnect_connector.this[0].kafka_cluster_client_authentication[0].authentication_type == "IAM" &&
      aws_mskconnect_connector.this[0].capacity[0].provisioned_capacity[0].worker_count == 1 &&
      aws_mskconnect_connector.this[0].connector_configuration["exactly.once.support"] == "requested"
    )
    error_message = "One worker, known by its role, over TLS; it does not promise what MSK Connect does not keep."
  }

  assert {
    condition = { for name, alarm in aws_cloudwatch_metric_alarm.this : name => "${alarm.metric_name} ${alarm.treat_missing_data}" } == {
      stopped = "RunningTaskCount breaching"
      failed  = "ErroredTaskCount notBreaching"
    } && alltrue([for alarm in aws_cloudwatch_metric_alarm.this : alarm.dimensions == tomap({ ConnectorName = "example-capture" }) && alarm.alarm_actions == toset([var.alarm_topic])])
    error_message = "A task that does not run is an alarm, whatever its connector says; so is silence."
  }
}

run "writes_changelogs_and_nothing_else" {
  assert {
    condition     = one([for statement in jsondecode(aws_iam_role_policy.this.policy).Statement : statement.Resource if statement.Sid == "WriteChangelogs"]) == [for topic in ["orders", "users"] : "arn:aws:kafka:eu-central-1:123456789012:topic/example/0a1b/${topic}"]
    error_message = "The changelogs by name; it makes none of them."
  }

  assert {
    condition = one([for statement in jsondecode(aws_iam_role_policy.this.policy).Statement : statement if statement.Sid == "BeatHeart"]) == {
      Sid      = "BeatHeart"
      Effect   = "Allow"
      Action   = ["kafka-cluster:CreateTopic", "kafka-cluster:DescribeTopic", "kafka-cluster:WriteData"]
      Resource = ["arn:aws:kafka:eu-central-1:123456789012:topic/example/0a1b/connect-heartbeat.*"]
    }
    error_message = "The topic of the heartbeat is nobody's but Connect's: brokers make none by themselves, so it must."
  }

  assert {
    condition = alltrue(flatten([for statement in jsondecode(aws_iam_role_policy.this.policy).Statement : [
      [for action in statement.Action : !strcontains(action, "*")],
      [for resource in statement.Resource : resource != "*" && !endswith(resource, "/*")],
    ]]))
    error_message = "Every action is named, and every resource."
  }
}

run "rejects_a_password_in_the_configuration" {
  command = plan
  variables { connector = { "tasks.max" = "1", "database.password" = "hunter2" } }
  expect_failures = [var.connector]
}

run "rejects_two_readers_of_one_log" {
  command = plan
  variables { connector = { "tasks.max" = "2", "database.password" = "$${secretsmanager:x:password}" } }
  expect_failures = [var.connector]
}

run "rejects_every_topic_at_once" {
  command = plan
  variables { topics = ["*"] }
  expect_failures = [var.topics]
}

run "rejects_public_subnets" {
  command = plan
  variables { subnets = { eu-central-1a = { id = "subnet-a", public = true } } }
  expect_failures = [var.subnets]
}

run "rejects_brokers_that_ask_for_a_password" {
  command = plan
  variables { kafka = { arn = "arn:aws:kafka:eu-central-1:123456789012:cluster/example/0a1b", bootstrap_servers = "b-1.example:9096" } }
  expect_failures = [var.kafka]
}

run "rejects_every_cluster" {
  command = plan
  variables { kafka = { arn = "arn:aws:kafka:eu-central-1:123456789012:cluster/*/*", bootstrap_servers = "b-1.example:9098" } }
  expect_failures = [var.kafka]
}

run "rejects_the_secret_of_somebody_else" {
  command = plan
  variables { secret = { name = "AmazonMSK_example/kafka.admin", arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:x" } }
  expect_failures = [var.secret]
}

run "rejects_a_version_that_is_none" {
  command = plan
  variables { connect_version = "latest" }
  expect_failures = [var.connect_version]
}

run "rejects_alarms_that_nobody_hears" {
  command = plan
  variables { alarm_topic = "somebody" }
  expect_failures = [var.alarm_topic]
}
