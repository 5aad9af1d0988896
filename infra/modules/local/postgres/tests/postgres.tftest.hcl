variables {
  instance = {
    name       = "example"
    home       = "/srv/example"
    python     = "/srv/venv/bin/python"
    repository = "/srv/repository"
    jvm        = "0"
  }
  port = 20032
}

run "serves_change_data_capture" {
  command = plan

  assert {
    condition     = strcontains(output.part.files["postgres/postgresql.conf"], "wal_level = logical\n")
    error_message = "Debezium reads the WAL, which has to be logical."
  }
}

run "wants_a_password_from_everyone_on_loopback" {
  command = plan

  assert {
    condition     = strcontains(output.part.files["postgres/postgresql.conf"], "listen_addresses = '127.0.0.1'\n")
    error_message = "PostgreSQL listens on loopback."
  }

  assert {
    condition     = !strcontains(output.part.files["postgres/pg_hba.conf"], "trust") && strcontains(output.part.files["postgres/pg_hba.conf"], "scram-sha-256")
    error_message = "Nobody gets in without a password."
  }
}

run "does_not_run_as_root" {
  command = plan

  assert {
    condition     = output.part.unprivileged
    error_message = "PostgreSQL refuses root."
  }
}

run "rejects_too_few_connections" {
  command = plan
  variables { max_connections = 10 }
  expect_failures = [var.max_connections]
}

run "rejects_a_privileged_port" {
  command = plan
  variables { port = 432 }
  expect_failures = [var.port]
}
