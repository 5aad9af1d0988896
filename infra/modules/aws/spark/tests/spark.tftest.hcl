mock_provider "aws" { source = "../mocks" }

variables {
  name           = "example"
  account        = { id = "123456789012", region = "eu-central-1" }
  release_label  = "emr-spark-8.0.0"
  apps           = ["traffic", "insights"]
  security_group = "sg-spark"
  subnets        = { eu-central-1a = { id = "subnet-a", public = false } }
  code           = "s3://example-artifacts-123456789012/runtime"
  keys           = ["arn:aws:kms:eu-central-1:123456789012:key/data", "arn:aws:kms:eu-central-1:123456789012:key/secrets"]
  log_group      = { name = "/example/spark", arn = "arn:aws:logs:eu-central-1:123456789012:log-group:/example/spark" }
  buckets = {
    warehouse   = "arn:aws:s3:::example-warehouse-123456789012"
    checkpoints = "arn:aws:s3:::example-checkpoints-123456789012"
    artifacts   = "arn:aws:s3:::example-artifacts-123456789012"
    airflow     = "arn:aws:s3:::example-airflow-123456789012"
  }
  secrets = {
    "kafka.apps"         = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:AmazonMSK_example/kafka.apps-0a1b2c"
    "postgres.headwater" = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:AmazonMSK_example/postgres.headwater-0a1b2c"
  }
}

run "gives_each_app_a_role_of_its_own" {
  assert {
    condition     = keys(output.roles) == ["insights", "replay", "traffic"] && output.master == "emr-serverless://00example"
    error_message = "Each group of views has a role, and so have apps of one version."
  }

  assert {
    condition     = alltrue([for role in aws_iam_role.app : jsondecode(role.assume_role_policy).Statement[0].Condition.ArnLike["aws:SourceArn"] == aws_emrserverless_application.this.arn])
    error_message = "Only this application gives out these roles."
  }
}

run "lets_apps_do_their_work_and_nothing_more" {
  assert {
    condition = alltrue(flatten([for policy in aws_iam_role_policy.app : [for statement in jsondecode(policy.policy).Statement : [
      [for action in statement.Action : !strcontains(action, "*")],
      [for resource in statement.Resource : resource != "*" && !endswith(resource, ":*") || statement.Sid == "FindLog"],
    ]]]))
    error_message = "Every action is named, and every resource."
  }

  assert {
    condition = alltrue(flatten([for policy in aws_iam_role_policy.app : [for statement in jsondecode(policy.policy).Statement : [
      for action in statement.Action : !contains(["s3:PutObject", "s3:DeleteObject"], action) || !anytrue([for resource in statement.Resource : strcontains(resource, "artifacts") || strcontains(resource, "airflow")])
    ]]]))
    error_message = "No app can change code."
  }

  assert {
    condition     = one([for statement in jsondecode(aws_iam_role_policy.app["traffic"].policy).Statement : statement.Resource if statement.Sid == "WriteOwnLog"]) == ["${var.log_group.arn}:log-stream:traffic/*"]
    error_message = "An app writes its own log."
  }
}

run "lets_the_supervisor_start_these_apps_with_these_roles" {
  assert {
    condition     = alltrue(flatten([for statement in output.submission : [for name in concat(statement.Action, statement.Resource) : name != "*" && !endswith(name, ":*")]]))
    error_message = "Who supervises may do so with these apps, and may hand out these roles only."
  }

  assert {
    condition     = one([for statement in output.submission : statement.Condition.StringEquals["iam:PassedToService"] if statement.Sid == "GiveAppsTheirRoles"]) == "emr-serverless.amazonaws.com"
    error_message = "The roles of apps are handed to EMR Serverless and to nobody else."
  }
}

run "lets_the_size_of_apps_be_chosen" {
  variables { app_properties = { "spark.executor.memory" = "12g" } }

  assert {
    condition     = output.app_properties["spark.executor.memory"] == "12g" && output.app_properties["spark.executor.cores"] == "2"
    error_message = "A chosen property replaces the module's own, and the others stay."
  }
}

run "rejects_a_release_with_spark_3" {
  command = plan
  variables { release_label = "emr-7.9.0" }
  expect_failures = [var.release_label]
}

run "rejects_public_subnets" {
  command = plan
  variables { subnets = { eu-central-1a = { id = "subnet-a", public = true } } }
  expect_failures = [var.subnets]
}

run "rejects_passwords_that_apps_do_not_need" {
  command = plan
  variables {
    secrets = {
      "kafka.admin"        = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:admin"
      "kafka.apps"         = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:apps"
      "postgres.headwater" = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:headwater"
    }
  }
  expect_failures = [var.secrets]
}

run "rejects_an_app_named_like_the_replays" {
  command = plan
  variables { apps = ["replay"] }
  expect_failures = [var.apps]
}

run "rejects_properties_that_are_not_sparks" {
  command = plan
  variables { app_properties = { "executor.memory" = "2g" } }
  expect_failures = [var.app_properties]
}

run "rejects_less_than_two_apps_need" {
  command = plan
  variables { maximum = { cpus = 2, memory_gigabytes = 8, disk_gigabytes = 100 } }
  expect_failures = [var.maximum]
}
