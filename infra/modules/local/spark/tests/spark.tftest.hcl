variables {
  instance = {
    name       = "example"
    home       = "/srv/example"
    python     = "/srv/venv/bin/python"
    repository = "/srv/repository"
    jvm        = "0"
  }
  ports = { master = 20077, rest = 20066, ui = 20040, worker_ui = 20041 }
}

run "wants_a_signed_token_for_submission" {
  command = plan

  assert {
    condition = alltrue([for line in [
      "spark.master.rest.filters org.apache.spark.ui.JWSFilter",
      "spark.org.apache.spark.ui.JWSFilter.param.secretKey @{spark.submission}",
      "spark.master.rest.host 127.0.0.1",
      "spark.deploy.recoveryMode FILESYSTEM",
    ] : strcontains(output.part.files["spark/master/spark-defaults.conf"], "${line}\n")])
    error_message = "Submission is authenticated, and the master remembers."
  }
}

run "keeps_the_key_from_drivers" {
  command = plan

  assert {
    condition     = regexall("@{[^}]*}", output.part.files["spark/worker/spark-defaults.conf"]) == tolist(["@{spark.rpc}"])
    error_message = "Drivers inherit the worker's configuration, which must hold no secret but the cluster's own."
  }
}

run "wants_the_secret_of_everybody_in_the_cluster" {
  command = plan

  assert {
    condition = alltrue([for part in ["master", "worker"] : alltrue([for line in [
      "spark.authenticate true",
      "spark.authenticate.secret @{spark.rpc}",
      "spark.network.crypto.enabled true",
    ] : strcontains(output.part.files["spark/${part}/spark-defaults.conf"], "${line}\n")])])
    error_message = "Drivers can be sent to the master's own port, too."
  }

  assert {
    condition     = output.app_properties["spark.authenticate"] == "true" && !contains(keys(output.app_properties), "spark.authenticate.secret")
    error_message = "Apps log in; properties are on command lines, and hold no secret."
  }
}

run "keeps_bounded_jobs_off_the_cluster" {
  command = plan

  assert {
    condition = alltrue([for line in [
      "spark.master local[2]",
      "spark.driver.memory 1g",
      "spark.driver.extraClassPath /srv/example/jvm/spark/*",
    ] : strcontains(output.part.files["spark/jobs/spark-defaults.conf"], "${line}\n")])
    error_message = "A job runs beside the cluster, within bounds, with the jars that every session needs."
  }

  assert {
    condition     = contains(keys(output.part.files), "${trimprefix(output.jobs, "/srv/example/")}/spark-defaults.conf")
    error_message = "The folder that whoever submits a job is told is the one that is written."
  }
}

run "gives_each_worker_ports_of_its_own" {
  command = plan
  variables { workers = 2 }

  assert {
    condition     = [for name in ["spark-worker-1", "spark-worker-2"] : output.part.programs[name].port] == [20041, 20042]
    error_message = "Workers' pages listen on consecutive ports."
  }
}

run "lets_the_size_of_apps_be_chosen" {
  command = plan
  variables { app_properties = { "spark.executor.memory" = "2g" } }

  assert {
    condition     = [for name in ["spark.executor.memory", "spark.executor.cores"] : output.app_properties[name]] == ["2g", "2"]
    error_message = "A chosen property replaces the module's own, and the others stay."
  }
}

run "rejects_properties_that_are_not_sparks" {
  command = plan
  variables { app_properties = { "executor.memory" = "2g" } }
  expect_failures = [var.app_properties]
}

run "rejects_no_worker" {
  command = plan
  variables { workers = 0 }
  expect_failures = [var.workers]
}

run "rejects_a_single_slot" {
  command = plan
  variables { cores = 1 }
  expect_failures = [var.cores]
}

run "rejects_memory_without_a_unit" {
  command = plan
  variables { memory = "4096" }
  expect_failures = [var.memory]
}

run "rejects_jobs_without_a_unit_of_memory" {
  command = plan
  variables { job_memory = "1024" }
  expect_failures = [var.job_memory]
}
