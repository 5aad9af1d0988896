variables {
  instance = {
    name       = "example"
    home       = "/srv/example"
    python     = "/srv/venv/bin/python"
    repository = "/srv/repository"
    jvm        = "0"
  }
  port     = 20080
  dags     = "/srv/repository/dags"
  postgres = { host = "127.0.0.1", port = 20032 }
}

run "runs_four_components" {
  command = plan

  assert {
    condition     = join(" ", keys(output.part.programs)) == "airflow-api-server airflow-dag-processor airflow-scheduler airflow-triggerer"
    error_message = "Airflow is four programs."
  }
}

run "opens_one_listener_on_loopback" {
  command = plan

  assert {
    condition     = strcontains(join(" ", output.part.programs["airflow-api-server"].command), "api-server --host 127.0.0.1 ")
    error_message = "The API server listens on loopback."
  }

  assert {
    condition     = alltrue([for name in ["scheduler", "triggerer"] : contains(output.part.programs["airflow-${name}"].command, "--skip-serve-logs")])
    error_message = "The log servers would listen on every address."
  }
}

run "holds_no_secret" {
  command = plan

  assert {
    condition = alltrue([for line in [
      "fernet_key = @{airflow.fernet}",
      "secret_key = @{airflow.session}",
      "jwt_secret = @{airflow.jwt}",
      "sql_alchemy_conn = postgresql+psycopg2://airflow:@{postgres.airflow}@127.0.0.1:20032/airflow",
      "expose_config = False",
    ] : strcontains(output.part.files["airflow/airflow.cfg"], "${line}\n")])
    error_message = "Keys and passwords are placeholders until the file is written."
  }
}

run "rejects_more_tasks_than_memory_allows" {
  command = plan
  variables { parallelism = 32 }
  expect_failures = [var.parallelism]
}

run "rejects_a_relative_folder_of_dags" {
  command = plan
  variables { dags = "dags" }
  expect_failures = [var.dags]
}
