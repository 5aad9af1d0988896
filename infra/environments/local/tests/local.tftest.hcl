run "defaults_to_the_main_instance" {
  command = plan

  assert {
    condition     = output.instance == "main" && endswith(output.home, "/.headwater/main") && output.postgres_port == 20032
    error_message = "Without variables, `terraform apply` makes the instance that `make up` makes."
  }
}

run "gives_every_port_from_one_base" {
  command = plan
  variables { port_base = 24000 }

  assert {
    condition     = output.airflow_url == "http://127.0.0.1:24080" && output.kafka_bootstrap_servers == "127.0.0.1:24091"
    error_message = "Two instances differ in their first port, and in all that follow."
  }
}

run "rejects_a_base_between_two_instances" {
  command = plan
  variables { port_base = 20050 }
  expect_failures = [var.port_base]
}

run "rejects_two_brokers" {
  command = plan
  variables { brokers = 2 }
  expect_failures = [var.brokers]
}

run "rejects_nine_workers" {
  command = plan
  variables { workers = 9 }
  expect_failures = [var.workers]
}

run "rejects_a_name_that_is_no_folder" {
  command = plan
  variables { instance = "Main!" }
  expect_failures = [var.instance]
}

run "tells_alerts_to_the_log_unless_told_otherwise" {
  command = plan

  assert {
    condition     = join(",", keys(output.notification_channels)) == "log"
    error_message = "Nobody gets mail who did not ask for it."
  }
}

run "rejects_a_channel_that_does_not_exist" {
  command = plan
  variables { notification_channels = { pigeon = {} } }
  expect_failures = [var.notification_channels]
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
    condition     = output.notification_channels.webhook.secret == "webhook.alerts"
    error_message = "The name is put out, and nothing else."
  }
}
