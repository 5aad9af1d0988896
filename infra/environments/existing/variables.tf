################################################################################
# Instance
################################################################################

variable "instance" {
  description = "Name of the instance."
  type        = string
  default     = "existing"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,30}$", var.instance))
    error_message = "A name starts with a letter and has at most 31 lower-case letters, digits and hyphens."
  }
}

variable "home" {
  description = "Folder of the instance; by default .headwater/<instance> in the repository."
  type        = string
  default     = null
}

variable "secrets_file" {
  description = "File with the passwords, mode 0600: a JSON object of kafka.<user>, postgres.<role>, spark.submission, people.wrapping, and spark.rpc if the cluster authenticates; or secretsmanager:<prefix>."
  type        = string

  validation {
    condition     = startswith(var.secrets_file, "/") || startswith(var.secrets_file, "secretsmanager:")
    error_message = "The path of the file is absolute; a store is named secretsmanager:<how the names begin>."
  }
}

################################################################################
# Log
################################################################################

variable "kafka" {
  description = "Your Kafka: addresses, and how clients prove who they are. Users: admin, and those that spark_apps/topics names."
  type = object({
    bootstrap_servers = string
    security_protocol = optional(string, "SASL_SSL")
    sasl_mechanism    = optional(string, "SCRAM-SHA-512")
  })

  validation {
    condition     = contains(["SASL_SSL", "SASL_PLAINTEXT"], var.kafka.security_protocol)
    error_message = "Clients prove who they are: SASL_SSL, or SASL_PLAINTEXT where nobody can listen."
  }

  validation {
    condition     = var.kafka.security_protocol == "SASL_SSL" || alltrue([for server in split(",", var.kafka.bootstrap_servers) : startswith(server, "127.0.0.1:") || startswith(server, "localhost:")])
    error_message = "Without TLS only brokers on this machine are talked to."
  }
}

variable "connect" {
  description = "Your Kafka Connect with Debezium: its address, and what its worker looks up the password of `capture` by. Empty: none."
  type = object({
    url              = optional(string, "")
    capture_password = optional(string, "")
  })
  default = {}
}

################################################################################
# Database
################################################################################

variable "postgres" {
  description = "Your PostgreSQL, with wal_level=logical, databases headwater and shop owned by roles of that name, and a role capture with REPLICATION."
  type        = object({ host = string, port = optional(number, 5432) })
}

################################################################################
# Storage
################################################################################

variable "storage" {
  description = "Where tables, checkpoints and code live: folders that every worker sees."
  type        = object({ warehouse = string, checkpoints = string, artifacts = string })

  validation {
    condition     = length(toset(values(var.storage))) == 3
    error_message = "Three different places: what cleans one must not reach another."
  }
}

################################################################################
# Processing
################################################################################

variable "spark" {
  description = "Your Spark: a standalone cluster whose REST interface wants a token signed with spark.submission."
  type = object({
    master         = string
    rest_url       = string
    ui_url         = string
    jars           = string
    app_properties = map(string)
  })

  validation {
    condition     = startswith(var.spark.master, "spark://")
    error_message = "The master of a standalone cluster begins with spark://."
  }
}

################################################################################
# Orchestration
################################################################################

variable "airflow_url" {
  description = "Address of your Airflow, with the DAGs of this repository; empty: none."
  type        = string
  default     = ""
}

################################################################################
# Notifications
################################################################################

variable "notification_channels" {
  description = "How people hear of alerts: log, email, webhook, each with its settings; see docs/notifications.md."
  type        = map(map(string))
  default     = { log = {} }

  validation {
    condition     = alltrue([for name in keys(var.notification_channels) : contains(["log", "email", "webhook"], name)])
    error_message = "There are three channels: log, email and webhook."
  }
}
