mock_provider "aws" { source = "../mocks" }

variables {
  name        = "example"
  account     = { id = "123456789012", region = "eu-central-1" }
  key         = "arn:aws:kms:eu-central-1:123456789012:key/data"
  application = "00example"
}

run "keeps_logs_encrypted_and_for_a_month" {
  assert {
    condition     = alltrue([for group in aws_cloudwatch_log_group.this : group.kms_key_id == var.key && group.retention_in_days == 30]) && output.log_groups["kafka"].name == "/example/kafka"
    error_message = "Logs are encrypted, and end."
  }
}

run "raises_alarms_on_lag_and_freshness_whichever_version_runs" {
  variables { most_seconds = 120 }

  assert {
    condition     = { for name, alarm in aws_cloudwatch_metric_alarm.behind : name => alarm.threshold } == { freshness = 120, lag = 100000 }
    error_message = "Apps are watched by records and by time."
  }

  assert {
    condition = alltrue([for alarm in aws_cloudwatch_metric_alarm.behind : (
      alarm.treat_missing_data == "breaching" && strcontains(one(alarm.metric_query).expression, "WHERE \"Cluster Name\" = 'example'")
    )])
    error_message = "All groups of this cluster; if none says anything, no app runs."
  }
}

run "tells_of_failed_apps_of_this_platform" {
  assert {
    condition     = jsondecode(aws_cloudwatch_event_rule.failed.event_pattern).detail == { state = ["FAILED"], applicationId = ["00example"] }
    error_message = "Failures of this application, and of no other."
  }

  assert {
    condition     = { for statement in jsondecode(aws_sns_topic_policy.this.policy).Statement : statement.Principal.Service => try(statement.Condition.StringEquals["aws:SourceAccount"], "") } == { "cloudwatch.amazonaws.com" = "123456789012", "events.amazonaws.com" = "" }
    error_message = "Alarms of this account; and what EventBridge tells, which names no account, whatever it is asked."
  }
}

run "rejects_logs_that_outlive_an_erasure" {
  command = plan
  variables { retention_days = 365 }
  expect_failures = [var.retention_days]
}

run "rejects_an_address_that_is_none" {
  command = plan
  variables { emails = ["somebody"] }
  expect_failures = [var.emails]
}

run "rejects_a_bound_that_cannot_be_measured" {
  command = plan
  variables { most_seconds = 10 }
  expect_failures = [var.most_seconds]
}

run "rejects_every_application" {
  command = plan
  variables { application = "*" }
  expect_failures = [var.application]
}
