mock_provider "aws" { source = "../../modules/aws/mocks" }

variables {
  emr_release     = "emr-spark-8.0.0"
  airflow_version = "3.3.1"
}

# Planned, not applied: an apply would fill secrets.
run "plans_the_whole_platform" {
  command = plan

  assert {
    condition     = output.instance == "main" && output.kafka_security_protocol == "SASL_SSL" && output.kafka_sasl_mechanism == "SCRAM-SHA-512"
    error_message = "TLS is not optional here."
  }

  assert {
    condition     = output.secrets_file == "secretsmanager:AmazonMSK_headwater-main/"
    error_message = "Secrets are named, not told."
  }
}

run "writes_changelogs_of_the_tables_that_topics_name" {
  command = plan

  assert {
    condition     = contains(local.changelogs, "user_changelog") && !contains(local.changelogs, "page_views")
    error_message = "Topics that name a table are the topics of capture."
  }
}

run "gives_apps_the_views_whose_files_name_them" {
  command = plan

  assert {
    condition     = contains(local.apps["traffic"], "page_views_per_minute") && contains(local.apps["insights"], "carts") && local.archive == "traffic"
    error_message = "A view's file says which app keeps it."
  }

  assert {
    condition     = output.artifacts == "s3://headwater-main-artifacts-123456789012/packed" && output.glue_database == "headwater_main_views"
    error_message = "Our own code is apart from what it runs with; the copy of the catalog has a name."
  }
}

run "is_smaller_where_nobody_relies_on_it" {
  command = plan
  variables {
    production = false
    brokers    = 2
  }

  assert {
    condition     = length(local.zones) == 2
    error_message = "A trial has two zones."
  }
}

run "rejects_a_name_that_is_too_long_for_a_bucket" {
  command = plan
  variables { instance = "a-name-that-is-far-too-long" }
  expect_failures = [var.instance]
}

run "rejects_a_channel_that_does_not_exist" {
  command = plan
  variables { notification_channels = { pigeon = {} } }
  expect_failures = [var.notification_channels]
}

run "rejects_a_region_that_is_none" {
  command = plan
  variables { region = "Frankfurt" }
  expect_failures = [var.region]
}

run "rejects_zones_that_are_none" {
  command = plan
  variables { zones = ["x", "y", "z"] }
  expect_failures = [var.zones]
}

run "rejects_an_address_with_a_token" {
  command = plan
  variables { notification_channels = { webhook = { url = "https://hooks.example/alerts?token=secret" } } }
  expect_failures = [var.notification_channels]
}

run "rejects_an_address_with_a_password" {
  command = plan
  variables { notification_channels = { webhook = { url = "https://me:secret@hooks.example/alerts" } } }
  expect_failures = [var.notification_channels]
}

run "rejects_a_password_for_the_server_of_mail" {
  command = plan
  variables { notification_channels = { email = { host = "mail.example", password = "secret" } } }
  expect_failures = [var.notification_channels]
}

run "takes_the_name_of_an_address_that_is_a_secret" {
  command = plan
  variables { notification_channels = { webhook = { secret = "webhook.alerts" } } }

  assert {
    condition     = local.outputs.notification_channels.webhook.secret == "webhook.alerts"
    error_message = "The name is put out, and nothing else."
  }
}
