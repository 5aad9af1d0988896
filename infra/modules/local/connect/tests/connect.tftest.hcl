variables {
  instance = {
    name       = "example"
    home       = "/srv/example"
    python     = "/srv/venv/bin/python"
    repository = "/srv/repository"
    jvm        = "0"
  }
  port              = 20083
  bootstrap_servers = "127.0.0.1:20091"
}

run "logs_in_to_kafka_as_connect" {
  command = plan

  assert {
    condition     = length(regexall("username=\"connect\" password=\"@\\{kafka\\.connect\\}\"", output.part.files["connect/worker.properties"])) == 4
    error_message = "The worker, its producers, consumers and admin clients all log in, with a placeholder for the password."
  }
}

run "listens_on_loopback_only" {
  command = plan

  assert {
    condition     = strcontains(output.part.files["connect/worker.properties"], "listeners=http://127.0.0.1:20083\n")
    error_message = "The REST interface has no password, so it stays on loopback."
  }
}

run "rejects_a_privileged_port" {
  command = plan
  variables { port = 83 }
  expect_failures = [var.port]
}

run "rejects_replication_without_a_quorum" {
  command = plan
  variables { replication = 2 }
  expect_failures = [var.replication]
}

run "rejects_brokers_elsewhere" {
  command = plan
  variables { bootstrap_servers = "kafka.example:9092" }
  expect_failures = [var.bootstrap_servers]
}
