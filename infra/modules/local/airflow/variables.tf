################################################################################
# Instance
################################################################################

variable "instance" {
  description = "The instance that the part belongs to, as the module `instance` gives it."
  type = object({
    name       = string
    home       = string
    python     = string
    repository = string
    jvm        = string
  })
}

################################################################################
# Components
################################################################################

variable "port" {
  description = "Port of the API server, which also serves the UI."
  type        = number

  validation {
    condition     = var.port > 1023 && var.port < 65000
    error_message = "The port lies between 1024 and 64999."
  }
}

variable "dags" {
  description = "Folder of the DAGs."
  type        = string

  validation {
    condition     = startswith(var.dags, "/")
    error_message = "The folder of the DAGs is an absolute path."
  }
}

variable "parallelism" {
  description = "Tasks that may run at once; the executor keeps a process of about 135 MB for each."
  type        = number
  default     = 4

  validation {
    condition     = var.parallelism >= 1 && var.parallelism <= 16
    error_message = "Between 1 and 16 tasks may run at once."
  }
}

################################################################################
# Database
################################################################################

variable "postgres" {
  description = "Where Airflow's database is."
  type = object({
    host = string
    port = number
  })

  validation {
    condition     = var.postgres.host == "127.0.0.1" && var.postgres.port > 1023
    error_message = "The database is on this machine, at a port that nobody needs root for."
  }
}

################################################################################
# Bounded jobs
################################################################################

variable "spark_jobs" {
  description = "Configuration folder of bounded Spark jobs, as the module `spark` gives it."
  type        = string

  validation {
    condition     = startswith(var.spark_jobs, "/")
    error_message = "The folder is an absolute path: tasks run wherever Airflow does."
  }
}
