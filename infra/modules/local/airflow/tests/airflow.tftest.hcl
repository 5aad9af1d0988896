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

  spark_jobs = "/srv/example/spark/jobs"
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

run "lets_tasks_submit_bounded_jobs" {
  command = plan

  assert {
    condition = alltrue([for program in values(output.part.programs) : (
      program.environment.SPARK_CONF_DIR == "/srv/example/spark/jobs" &&
      jsondecode(program.environment.AIRFLOW_CONN_SPARK_JOBS) == { conn_type = "spark", host = "local[2]" }
    )])
    error_message = "Tasks find Spark's configuration and the connection in their environment."
  }
}

run "notices_a_dead_task_within_a_minute" {
  command = plan

  assert {
    condition = alltrue([for line in [
      "orphaned_tasks_check_interval = 15",
      "task_instance_heartbeat_timeout = 45",
    ] : strcontains(output.part.files["airflow/airflow.cfg"], "${line}\n")])
    error_message = "Airflow's own five minutes are too long for a person who waits."
  }
}

run "keeps_its_dags_on_a_busy_machine" {
  command = plan

  assert {
    condition = alltrue([for line in [
      "dagbag_import_timeout = 120",
      "dag_file_processor_timeout = 300",
      "stale_dag_threshold = 3600",
    ] : strcontains(output.part.files["airflow/airflow.cfg"], "${line}\n")])
    error_message = "A DAG that is read slowly counts as removed, and its runs stand still."
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

run "rejects_a_database_elsewhere" {
  command = plan
  variables { postgres = { host = "postgres.example", port = 5432 } }
  expect_failures = [var.postgres]
}
