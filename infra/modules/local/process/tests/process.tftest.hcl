variables {
  instance = {
    name       = "example"
    home       = "/srv/example"
    python     = "/srv/venv/bin/python"
    repository = "/srv/repository"
    jvm        = "0"
  }
  name     = "kafka"
  files    = { "kafka/server.properties" = "password=@{kafka.broker}" }
  programs = { kafka-1 = { command = ["java", "kafka.Kafka"] } }
}

run "keeps_placeholders_where_secrets_go" {
  command = plan

  assert {
    condition     = jsondecode(terraform_data.this.input.part).files["kafka/server.properties"] == "password=@{kafka.broker}"
    error_message = "The state must hold the name of a secret, never the secret."
  }
}

run "starts_anew_when_the_jvm_parts_change" {
  command = plan

  assert {
    condition     = terraform_data.this.triggers_replace.jvm == "0"
    error_message = "A part runs on the JVM parts that are pinned now."
  }
}

run "rejects_a_part_nobody_knows" {
  command = plan
  variables { name = "zookeeper" }
  expect_failures = [var.name]
}

run "rejects_a_file_outside_the_home" {
  command = plan
  variables { files = { "../other/secrets.json" = "" } }
  expect_failures = [var.files]
}

run "rejects_a_part_without_programs" {
  command = plan
  variables { programs = {} }
  expect_failures = [var.programs]
}

run "rejects_a_deadline_nothing_can_meet" {
  command = plan
  variables { deadline = 1 }
  expect_failures = [var.deadline]
}
