variables {
  secrets_file = "/srv/secrets.json"
  kafka        = { bootstrap_servers = "kafka-1.example:9093,kafka-2.example:9093" }
  postgres     = { host = "postgres.example" }
  storage      = { warehouse = "/srv/warehouse", checkpoints = "/srv/checkpoints", artifacts = "/srv/artifacts" }
  spark = {
    master         = "spark://spark.example:7077"
    rest_url       = "http://spark.example:6066"
    ui_url         = "http://spark.example:8080"
    jars           = "/srv/jars"
    app_properties = { "spark.executor.memory" = "4g" }
  }
}

run "wants_tls_and_passwords_unless_told_otherwise" {
  command = plan

  assert {
    condition     = local.outputs.kafka_security_protocol == "SASL_SSL" && local.outputs.kafka_sasl_mechanism == "SCRAM-SHA-512" && local.outputs.postgres_port == 5432 && local.outputs.postgres_sslmode == "require"
    error_message = "The usual ports, and TLS."
  }
}

run "puts_out_what_came_in" {
  command = plan

  assert {
    condition     = local.outputs.spark_master == "spark://spark.example:7077" && local.outputs.warehouse == "/srv/warehouse" && local.outputs.spark_app_properties["spark.executor.memory"] == "4g"
    error_message = "The outputs are the variables, in the words of the contract."
  }
}

run "rejects_plain_text_over_a_network" {
  command = plan
  variables { kafka = { bootstrap_servers = "kafka-1.example:9092", security_protocol = "SASL_PLAINTEXT" } }
  expect_failures = [var.kafka]
}

run "rejects_a_database_in_plain_text_over_a_network" {
  command = plan
  variables { postgres = { host = "postgres.example", sslmode = "disable" } }
  expect_failures = [var.postgres]
}

run "rejects_a_database_that_encrypts_if_it_likes" {
  command = plan
  variables { postgres = { host = "127.0.0.1", sslmode = "prefer" } }
  expect_failures = [var.postgres]
}

run "rejects_clients_without_a_name" {
  command = plan
  variables { kafka = { bootstrap_servers = "127.0.0.1:9092", security_protocol = "PLAINTEXT" } }
  expect_failures = [var.kafka]
}

run "rejects_a_relative_file_of_secrets" {
  command = plan
  variables { secrets_file = "secrets.json" }
  expect_failures = [var.secrets_file]
}

run "rejects_one_place_for_everything" {
  command = plan
  variables { storage = { warehouse = "/srv", checkpoints = "/srv", artifacts = "/srv" } }
  expect_failures = [var.storage]
}

run "rejects_another_kind_of_cluster" {
  command = plan
  variables { spark = { master = "yarn", rest_url = "", ui_url = "", jars = "", app_properties = {} } }
  expect_failures = [var.spark]
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

run "rejects_a_channel_that_there_is_not" {
  command = plan
  variables { notification_channels = { pigeon = {} } }
  expect_failures = [var.notification_channels]
}

run "rejects_a_password_where_a_lookup_belongs" {
  command = plan
  variables { connect = { url = "https://connect.example:8083", capture_password = "correct-horse" } }
  expect_failures = [var.connect]
}

run "rejects_a_connect_without_a_lookup" {
  command = plan
  variables { connect = { url = "https://connect.example:8083" } }
  expect_failures = [var.connect]
}

run "takes_a_lookup" {
  command = plan
  variables { connect = { url = "https://connect.example:8083", capture_password = "$${file:/etc/connect/secrets.properties:postgres.capture}" } }

  assert {
    condition     = local.outputs.connect_capture_password == var.connect.capture_password
    error_message = "What the worker looks it up by is put out as it is."
  }
}

run "rejects_a_password_in_the_address_of_the_database" {
  command = plan
  variables { postgres = { host = "shop:secret@postgres.example" } }
  expect_failures = [var.postgres]
}

run "rejects_a_password_in_the_address_of_airflow" {
  command = plan
  variables { airflow_url = "https://admin:secret@airflow.example" }
  expect_failures = [var.airflow_url]
}

run "rejects_a_relative_home" {
  command = plan
  variables { home = "here" }
  expect_failures = [var.home]
}
