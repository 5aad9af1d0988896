mock_provider "aws" { source = "../mocks" }

variables {
  name            = "example"
  account         = { id = "123456789012", region = "eu-central-1" }
  airflow_version = "3.3.1"
  key             = "arn:aws:kms:eu-central-1:123456789012:key/data"
  secrets_key     = "arn:aws:kms:eu-central-1:123456789012:key/secrets"
  security_group  = "sg-airflow"
  bucket          = { name = "example-airflow", arn = "arn:aws:s3:::example-airflow" }
  dags            = "../../../../dags"
  requirements    = "../../../environments/aws/airflow-requirements.txt"
  plugins         = { key = "plugins.zip", version = "0a1b" }
  packed          = "packed"
  outputs         = "{\"instance\":\"example\"}"
  secrets         = { "postgres.headwater" = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:headwater" }
  statements      = [{ Sid = "StartApps", Effect = "Allow", Action = ["emr-serverless:StartJobRun"], Resource = ["arn:aws:emr-serverless:eu-central-1:123456789012:/applications/00example"] }]
  lake = {
    warehouse   = "arn:aws:s3:::example-warehouse"
    checkpoints = "arn:aws:s3:::example-checkpoints"
    artifacts   = "arn:aws:s3:::example-artifacts"
  }
  subnets = {
    eu-central-1a = { id = "subnet-a", public = false }
    eu-central-1b = { id = "subnet-b", public = false }
    eu-central-1c = { id = "subnet-c", public = false }
  }
}

run "is_closed_to_the_internet" {
  assert {
    condition     = aws_mwaa_environment.this.webserver_access_mode == "PRIVATE_ONLY" && length(one(aws_mwaa_environment.this.network_configuration).subnet_ids) == 2 && aws_mwaa_environment.this.airflow_configuration_options["api.expose_config"] == "False"
    error_message = "The UI is reached through the network only, and shows no configuration."
  }

  assert {
    condition     = length([for option in keys(aws_mwaa_environment.this.airflow_configuration_options) : option if strcontains(option, "auth_manager")]) == 0
    error_message = "MWAA's own auth manager lets people in, by AWS's roles: no simple one is put in its place."
  }
}

run "takes_dags_and_packages_from_this_repository" {
  assert {
    condition     = contains(keys(aws_s3_object.dag), "replay.py") && aws_s3_object.dag["replay.py"].key == "dags/replay.py"
    error_message = "The DAGs of this repository are the DAGs of the environment."
  }

  assert {
    condition     = aws_s3_object.dag[".airflowignore"].key == "dags/.airflowignore" && contains(keys(aws_s3_object.dag), "spark_job.py")
    error_message = "What DAGs share comes along, and is said to be no DAG."
  }

  assert {
    condition     = strcontains(aws_s3_object.requirements.content, "\n--no-index\n") && strcontains(aws_s3_object.requirements.content, "\nkafka-python==")
    error_message = "The pinned packages, and none from the internet."
  }

  assert {
    condition     = can(regex("--constraint ", aws_s3_object.requirements.content)) && !can(regex("(?m)^ +", aws_s3_object.requirements.content))
    error_message = "MWAA does not hold every package at its own version; each line is one of pip's."
  }
}

run "installs_nothing_before_there_is_something_to_install" {
  variables { plugins = null }

  assert {
    condition     = aws_mwaa_environment.this.requirements_s3_path == null && aws_mwaa_environment.this.plugins_s3_path == null
    error_message = "Without wheels, pip would find none, and MWAA would give up."
  }
}

run "forgets_its_logs" {
  assert {
    condition     = toset([for group in aws_cloudwatch_log_group.this : group.name]) == toset([for part in ["DAGProcessing", "Scheduler", "Task", "WebServer", "Worker"] : "airflow-example-${part}"])
    error_message = "The groups that MWAA writes to are there before it makes them."
  }

  assert {
    condition     = alltrue([for group in aws_cloudwatch_log_group.this : group.retention_in_days == 30 && group.kms_key_id == var.key])
    error_message = "Logs are encrypted, and end."
  }
}

run "tells_tasks_where_everything_is" {
  assert {
    condition     = jsondecode(base64decode(trimspace(trimprefix(aws_s3_object.startup.content, "export HEADWATER_ENVIRONMENT=")))) == { instance = "example" }
    error_message = "Tasks read the environment's outputs."
  }
}

run "may_do_what_its_dags_do_and_nothing_more" {
  assert {
    condition = alltrue(flatten([for policy in aws_iam_role_policy.this : [for statement in jsondecode(policy.policy).Statement : [
      [for action in statement.Action : !strcontains(action, "*")],
      [for resource in statement.Resource : resource != "*" || contains(["Measure", "SeeThatNothingIsPublic"], statement.Sid)],
    ]]]))
    error_message = "Every action is named, and every resource but that of measures and of the account, which have none."
  }

  assert {
    condition     = one([for statement in jsondecode(aws_iam_role_policy.this["own"].policy).Statement : statement.Condition.StringEquals["cloudwatch:namespace"] if statement.Sid == "Measure"]) == "AmazonMWAA"
    error_message = "Measures are bounded by their name space."
  }

  assert {
    condition     = one([for statement in jsondecode(aws_iam_role_policy.this["own"].policy).Statement : statement.Resource if statement.Sid == "KeepArtifacts"]) == ["arn:aws:s3:::example-artifacts/packed/*"]
    error_message = "Tasks pack our own code, and change neither jars nor Python."
  }

  assert {
    condition     = one([for statement in jsondecode(aws_iam_role_policy.this["own"].policy).Statement : statement.Resource if statement.Sid == "WriteNotes"]) == ["arn:aws:airflow:eu-central-1:123456789012:role/example/User"]
    error_message = "Tasks speak to Airflow as an ordinary user."
  }
}

run "rejects_an_airflow_that_cannot_ask_people" {
  command = plan
  variables { airflow_version = "2.10.3" }
  expect_failures = [var.airflow_version]
}

run "rejects_a_version_with_something_behind_it" {
  command = plan
  variables { airflow_version = "3.3.1; id" }
  expect_failures = [var.airflow_version]
}

run "rejects_packages_that_mwaa_would_refuse" {
  command = plan
  variables { requirements = "../../../../requirements.txt" }
  expect_failures = [var.requirements]
}

run "rejects_logs_that_outlive_an_erasure" {
  command = plan
  variables { retention_days = 365 }
  expect_failures = [var.retention_days]
}

run "rejects_a_right_to_everything" {
  command = plan
  variables { statements = [{ Sid = "All", Effect = "Allow", Action = ["s3:GetObject"], Resource = ["*"] }] }
  expect_failures = [var.statements]
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

run "rejects_a_folder_without_dags" {
  command = plan
  variables { dags = "../../../../docs" }
  expect_failures = [var.dags]
}

run "rejects_a_size_without_room" {
  command = plan
  variables { environment_class = "mw1.micro" }
  expect_failures = [var.environment_class]
}

run "rejects_every_action_of_a_service" {
  command = plan
  variables { statements = [{ Sid = "All", Effect = "Allow", Action = ["s3:*"], Resource = ["arn:aws:s3:::example-warehouse"] }] }
  expect_failures = [var.statements]
}

run "rejects_half_an_action" {
  command = plan
  variables { statements = [{ Sid = "All", Effect = "Allow", Action = ["s3:Get*"], Resource = ["arn:aws:s3:::example-warehouse"] }] }
  expect_failures = [var.statements]
}

run "rejects_a_secret_that_is_every_secret" {
  command = plan
  variables { secrets = { "postgres.headwater" = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:*" } }
  expect_failures = [var.secrets]
}

run "rejects_a_bucket_in_part" {
  command = plan
  variables { lake = { warehouse = "arn:aws:s3:::*", checkpoints = "arn:aws:s3:::c", artifacts = "arn:aws:s3:::a" } }
  expect_failures = [var.lake]
}

run "rejects_a_group_by_its_name" {
  command = plan
  variables { security_group = "airflow" }
  expect_failures = [var.security_group]
}

run "rejects_a_contract_that_is_none" {
  command = plan
  variables { outputs = "none" }
  expect_failures = [var.outputs]
}

run "rejects_whatever_plugins_there_are" {
  command = plan
  variables { plugins = { key = "plugins.zip", version = "" } }
  expect_failures = [var.plugins]
}
