mock_provider "aws" { source = "../mocks" }

variables {
  name           = "example"
  account        = { id = "123456789012", region = "eu-central-1" }
  release_label  = "emr-spark-8.0.0"
  apps           = { traffic = ["page_views"], insights = ["carts", "orders"] }
  archive        = "traffic"
  packed         = "packed"
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
    "kafka.control"      = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:AmazonMSK_example/kafka.control-0a1b2c"
    "kafka.replay"       = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:AmazonMSK_example/kafka.replay-0a1b2c"
    "postgres.headwater" = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:AmazonMSK_example/postgres.headwater-0a1b2c"
  }
}

run "gives_each_app_and_each_job_a_role_of_its_own" {
  assert {
    condition     = keys(output.roles) == ["backfill", "batch", "check", "insights", "jobs", "maintain", "replay", "traffic", "verify"] && output.master == "emr-serverless://00example"
    error_message = "Each group of views has a role, each job, and apps of one version."
  }

  assert {
    condition     = alltrue([for role in concat(values(aws_iam_role.app), values(aws_iam_role.job)) : jsondecode(role.assume_role_policy).Statement[0].Condition.ArnLike["aws:SourceArn"] == aws_emrserverless_application.this.arn])
    error_message = "Only this application gives out these roles."
  }
}

run "lets_apps_and_jobs_do_their_work_and_nothing_more" {
  assert {
    condition = alltrue(flatten([for policy in concat(values(aws_iam_role_policy.app), values(aws_iam_role_policy.job), values(aws_iam_policy.views)) : [for statement in jsondecode(policy.policy).Statement : [
      [for action in statement.Action : !strcontains(action, "*")],
      [for resource in statement.Resource : resource != "*" && !endswith(resource, ":*") || statement.Sid == "FindLog"],
    ]]]))
    error_message = "Every action is named, and every resource."
  }

  assert {
    condition = alltrue(flatten([for policy in concat(values(aws_iam_role_policy.app), values(aws_iam_role_policy.job), values(aws_iam_policy.views)) : [for statement in jsondecode(policy.policy).Statement : [
      for action in statement.Action : action != "s3:PutObject" || !anytrue([for resource in statement.Resource : strcontains(resource, "artifacts") || strcontains(resource, "airflow")])
    ]]]))
    error_message = "Nothing that runs can change code."
  }

  assert {
    condition     = one([for statement in jsondecode(aws_iam_role_policy.app["traffic"].policy).Statement : statement.Resource if statement.Sid == "WriteOwnLog"]) == ["${var.log_group.arn}:log-stream:traffic/*"]
    error_message = "An app writes its own log."
  }

  assert {
    condition     = contains(one([for statement in jsondecode(aws_iam_role_policy.app["traffic"].policy).Statement : statement.Resource if statement.Sid == "FindOwnLog"]), "${var.log_group.arn}:log-stream:")
    error_message = "EMR looks for the log before it writes it, and asks the group, not a stream of the app."
  }

  assert {
    condition     = output.app_properties["spark.emr-serverless.driverEnv.AWS_DEFAULT_REGION"] == "eu-central-1"
    error_message = "A driver asks AWS in its own region: for its passwords, before anything else."
  }
}

run "lets_an_app_write_its_own_views_only" {
  assert {
    condition = jsondecode(aws_iam_policy.views["traffic-0"].policy).Statement[0].Resource == [
      "arn:aws:s3:::example-warehouse-123456789012/versions/page_views__*",
      "arn:aws:s3:::example-warehouse-123456789012/state/page_views__*",
      "arn:aws:s3:::example-warehouse-123456789012/late/page_views__*",
      "arn:aws:s3:::example-warehouse-123456789012/views/page_views/*",
      "arn:aws:s3:::example-checkpoints-123456789012/views/page_views/*",
      "arn:aws:s3:::example-checkpoints-123456789012/late/page_views__*",
    ]
    error_message = "A view's tables, pointer and checkpoints are its own, in every version."
  }

  assert {
    condition     = [for attached in aws_iam_role_policy_attachment.views : attached.role] == ["example-app-insights", "example-app-traffic"]
    error_message = "Each app has the rights of its own views."
  }

  assert {
    condition     = length([for statement in jsondecode(aws_iam_role_policy.app["insights"].policy).Statement : statement if contains(statement.Action, "s3:DeleteObject")]) == 0
    error_message = "Beside its views, an app changes nothing."
  }

  assert {
    condition     = one([for statement in jsondecode(aws_iam_role_policy.app["traffic"].policy).Statement : statement.Resource if statement.Sid == "Write"])[0] == "arn:aws:s3:::example-warehouse-123456789012/cold/*"
    error_message = "One app keeps the cold log."
  }

  assert {
    condition     = !anytrue([for place in one([for statement in jsondecode(aws_iam_role_policy.app["replay"].policy).Statement : statement.Resource if statement.Sid == "Write"]) : strcontains(place, "/cold/") || strcontains(place, "warehouse-123456789012/views/")])
    error_message = "A version apart writes neither the cold log nor what readers follow."
  }
}

run "gives_many_views_several_policies" {
  variables { apps = { traffic = ["page_views"], insights = ["a", "b", "c", "d", "e", "f"] } }

  assert {
    condition     = keys(aws_iam_policy.views) == ["insights-0", "insights-1", "traffic-0"] && length(jsondecode(aws_iam_policy.views["insights-1"].policy).Statement[0].Resource) == 6
    error_message = "Five views in a policy, the others in the next."
  }
}

run "lets_a_job_write_what_it_is_for" {
  assert {
    condition     = alltrue([for statement in jsondecode(aws_iam_role_policy.job["jobs"].policy).Statement : !contains(statement.Action, "s3:PutObject") && !contains(statement.Action, "s3:DeleteObject")])
    error_message = "A job that has no role of its own, such as a proof, only looks."
  }

  assert {
    condition     = one([for statement in jsondecode(aws_iam_role_policy.job["check"].policy).Statement : statement.Resource if statement.Sid == "Write"]) == ["arn:aws:s3:::example-warehouse-123456789012/quality/*"]
    error_message = "A check writes down what it has found."
  }

  assert {
    condition     = one([for statement in jsondecode(aws_iam_role_policy.job["backfill"].policy).Statement : statement.Resource if statement.Sid == "Write"]) == ["arn:aws:s3:::example-warehouse-123456789012/versions/*"]
    error_message = "A backfill puts rows into versions."
  }

  assert {
    condition = one([for statement in jsondecode(aws_iam_role_policy.job["verify"].policy).Statement : statement.Resource if statement.Sid == "Write"]) == [
      "arn:aws:s3:::example-warehouse-123456789012/scratch/*", "arn:aws:s3:::example-checkpoints-123456789012/scratch/*"
    ]
    error_message = "A verification has tables and a checkpoint in scratch, and nothing elsewhere."
  }

  assert {
    condition     = one([for statement in jsondecode(aws_iam_role_policy.job["maintain"].policy).Statement : statement if statement.Sid == "Remove"]) == { Sid = "Remove", Effect = "Allow", Action = ["s3:DeleteObject"], Resource = ["arn:aws:s3:::example-checkpoints-123456789012/*", "arn:aws:s3:::example-artifacts-123456789012/packed/*"] }
    error_message = "Maintenance removes unneeded code and checkpoints, and neither jars nor Python."
  }
}

run "tells_the_passwords_that_are_needed" {
  assert {
    condition     = [for role in ["insights", "traffic"] : length(one([for statement in jsondecode(aws_iam_role_policy.app[role].policy).Statement : statement.Resource if statement.Sid == "ReadPasswords"]))] == [2, 3]
    error_message = "Only the archive raises alarms."
  }

  assert {
    condition     = one([for statement in jsondecode(aws_iam_role_policy.job["maintain"].policy).Statement : statement.Resource if statement.Sid == "ReadPasswords"]) == [var.secrets["postgres.headwater"]]
    error_message = "Maintenance does not talk to Kafka."
  }
}

run "lets_the_supervisor_start_these_apps_with_these_roles" {
  assert {
    condition     = alltrue(flatten([for statement in output.submission : [for name in concat(statement.Action, statement.Resource) : name != "*" && !endswith(name, ":*")]]))
    error_message = "Who supervises may do so with these apps, and may hand out these roles only."
  }

  assert {
    condition     = one([for statement in output.submission : statement.Condition.StringEquals["iam:PassedToService"] if statement.Sid == "GiveRunsTheirRoles"]) == "emr-serverless.amazonaws.com"
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
      "kafka.control"      = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:control"
      "kafka.replay"       = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:replay"
      "postgres.headwater" = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:headwater"
    }
  }
  expect_failures = [var.secrets]
}

run "rejects_an_app_named_like_the_replays" {
  command = plan
  variables { apps = { replay = ["orders"], traffic = ["page_views"] } }
  expect_failures = [var.apps]
}

run "rejects_an_app_named_like_a_job" {
  command = plan
  variables { apps = { maintain = ["orders"], traffic = ["page_views"] } }
  expect_failures = [var.apps]
}

run "rejects_a_view_that_means_all_views" {
  command = plan
  variables { apps = { traffic = ["*"] } }
  expect_failures = [var.apps]
}

run "rejects_more_views_than_a_role_has_room_for" {
  command = plan
  variables { apps = { traffic = [for number in range(51) : "view_${number}"] } }
  expect_failures = [var.apps]
}

run "rejects_a_cold_log_that_no_app_keeps" {
  command = plan
  variables { archive = "nobody" }
  expect_failures = [var.archive]
}

run "rejects_a_folder_of_code_that_is_the_whole_bucket" {
  command = plan
  variables { packed = "" }
  expect_failures = [var.packed]
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

run "rejects_every_bucket" {
  command = plan
  variables { buckets = { warehouse = "arn:aws:s3:::*", checkpoints = "arn:aws:s3:::c", artifacts = "arn:aws:s3:::a" } }
  expect_failures = [var.buckets]
}

run "keeps_the_password_of_apps_from_who_computes_the_past_again" {
  assert {
    condition = alltrue([for name, policy in merge(aws_iam_role_policy.job, { replay = aws_iam_role_policy.app["replay"] }) : alltrue([
      for statement in jsondecode(policy.policy).Statement : !contains(statement.Resource, var.secrets["kafka.apps"])
    ])])
    error_message = "Candidates and jobs read the log as `replay`, who may write no topic."
  }

  assert {
    condition     = one([for statement in jsondecode(aws_iam_role_policy.app["traffic"].policy).Statement : statement.Resource if statement.Sid == "ReadPasswords"]) == [for name in ["kafka.apps", "kafka.control", "postgres.headwater"] : var.secrets[name]]
    error_message = "The app that keeps the archive writes topics, and raises alarms."
  }
}
