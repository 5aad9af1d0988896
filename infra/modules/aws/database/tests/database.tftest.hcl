mock_provider "aws" { source = "../mocks" }

variables {
  account        = { id = "123456789012", region = "eu-central-1" }
  name           = "example"
  key            = "arn:aws:kms:eu-central-1:123456789012:key/data"
  secrets_key    = "arn:aws:kms:eu-central-1:123456789012:key/secrets"
  security_group = "sg-database"
  alarm_topic    = "arn:aws:sns:eu-central-1:123456789012:example"
  subnets = {
    eu-central-1a = { id = "subnet-a", public = false }
    eu-central-1b = { id = "subnet-b", public = false }
  }
}

run "writes_a_logical_log_and_wants_tls" {
  assert {
    condition = { for parameter in aws_db_parameter_group.this.parameter : parameter.name => parameter.value if contains(["rds.logical_replication", "rds.force_ssl", "password_encryption", "log_parameter_max_length"], parameter.name) } == {
      "rds.logical_replication" = "1", "rds.force_ssl" = "1", "password_encryption" = "scram-sha-256", "log_parameter_max_length" = "0"
    }
    error_message = "Capture reads the log; nobody talks in plain text; no log holds a person's data."
  }

  assert {
    condition     = output.sslmode == "require"
    error_message = "Clients are told to encrypt, and give up where they cannot."
  }
}

run "never_knows_a_password" {
  assert {
    condition     = aws_db_instance.this.manage_master_user_password && aws_db_instance.this.password == null && aws_db_instance.this.master_user_secret_kms_key_id == var.secrets_key
    error_message = "RDS makes and rotates the password of the first user: none is in the state."
  }
}

run "survives_a_zone_in_production" {
  assert {
    condition     = aws_db_instance.this.multi_az && aws_db_instance.this.deletion_protection && !aws_db_instance.this.skip_final_snapshot && aws_db_instance.this.backup_retention_period >= 7
    error_message = "A second server, backups, and no deletion by mistake."
  }

  assert {
    condition     = !aws_db_instance.this.publicly_accessible && aws_db_instance.this.storage_encrypted && aws_db_instance.this.kms_key_id == var.key
    error_message = "Closed and encrypted."
  }
}

run "raises_an_alarm_when_capture_falls_behind" {
  assert {
    condition     = aws_cloudwatch_metric_alarm.this["slot"].threshold == 5000000000 && length(aws_cloudwatch_metric_alarm.this) == 3
    error_message = "Half of what the server keeps for capture: there is time to act."
  }
}

run "is_small_where_nobody_relies_on_it" {
  variables { production = false }

  assert {
    condition     = !aws_db_instance.this.multi_az && !aws_db_instance.this.deletion_protection && aws_db_instance.this.skip_final_snapshot
    error_message = "A trial costs one server and can be thrown away."
  }
}

run "forgets_its_logs" {
  assert {
    condition     = toset([for group in aws_cloudwatch_log_group.this : group.name]) == toset([for log in aws_db_instance.this.enabled_cloudwatch_logs_exports : "/aws/rds/instance/example/${log}"])
    error_message = "The groups that RDS writes to are there before it makes them."
  }

  assert {
    condition     = alltrue([for group in aws_cloudwatch_log_group.this : group.retention_in_days == 30 && group.kms_key_id == var.key])
    error_message = "Logs are encrypted, and end."
  }
}

run "rejects_logs_that_outlive_an_erasure" {
  command = plan
  variables { retention_days = 365 }
  expect_failures = [var.retention_days]
}

run "rejects_public_subnets" {
  command = plan
  variables {
    subnets = {
      eu-central-1a = { id = "subnet-a", public = true }
      eu-central-1b = { id = "subnet-b", public = false }
    }
  }
  expect_failures = [var.subnets]
}

run "rejects_a_slot_that_may_fill_the_disk" {
  command = plan
  variables { slot_gigabytes = 40 }
  expect_failures = [var.slot_gigabytes]
}

run "rejects_backups_that_outlive_an_erasure" {
  command = plan
  variables { backup_days = 35 }
  expect_failures = [var.backup_days]
}

run "rejects_an_old_server" {
  command = plan
  variables { major_version = "12" }
  expect_failures = [var.major_version]
}

run "rejects_a_machine_without_memory" {
  command = plan
  variables { instance_class = "db.t4g.micro" }
  expect_failures = [var.instance_class]
}

run "rejects_alarms_that_nobody_hears" {
  command = plan
  variables { alarm_topic = "somebody" }
  expect_failures = [var.alarm_topic]
}

run "trusts_the_monitoring_of_this_database_alone" {
  assert {
    condition     = jsondecode(aws_iam_role.monitoring.assume_role_policy).Statement[0].Condition.StringEquals == { "aws:SourceAccount" = "123456789012", "aws:SourceArn" = "arn:aws:rds:eu-central-1:123456789012:db:example" }
    error_message = "AWS's service acts for this database, or not at all."
  }
}

run "rejects_an_account_that_is_none" {
  command = plan
  variables { account = { id = "mine", region = "eu-central-1" } }
  expect_failures = [var.account]
}
