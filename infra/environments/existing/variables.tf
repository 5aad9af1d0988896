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

  validation {
    condition     = var.home == null || can(regex("^/[^\"'$ ]+$", var.home))
    error_message = "The home is an absolute path, without blanks and quotes."
  }
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

  validation {
    condition     = var.connect.url == "" || can(regex("^https?://[^/@?#]+/?$", var.connect.url))
    error_message = "Connect's address is written like https://connect.example:8083, without a password."
  }

  validation {
    condition     = var.connect.capture_password == "" || can(regex("^[$][{][a-z]+:[^{}]+[}]$", var.connect.capture_password))
    error_message = "The worker looks the password up, as by $${file:/etc/connect/secrets.properties:postgres.capture}; written here it would be in the state, and in the connector's configuration."
  }

  validation {
    condition     = (var.connect.url == "") == (var.connect.capture_password == "")
    error_message = "Connect has an address and looks a password up, or there is none."
  }
}

################################################################################
# Database
################################################################################

variable "postgres" {
  description = "Your PostgreSQL, with wal_level=logical, databases headwater and shop owned by roles of that name, and a role capture with REPLICATION; sslmode as PostgreSQL knows it, require by default."
  type        = object({ host = string, port = optional(number, 5432), sslmode = optional(string, "require") })

  validation {
    condition     = can(regex("^[A-Za-z0-9.:-]+$", var.postgres.host)) && var.postgres.port > 0 && var.postgres.port < 65536
    error_message = "An address without user and password, and a port."
  }

  validation {
    condition     = contains(["require", "verify-ca", "verify-full"], var.postgres.sslmode) || (var.postgres.sslmode == "disable" && contains(["127.0.0.1", "localhost"], var.postgres.host))
    error_message = "Clients encrypt (require), and may look at the server's certificate, too (verify-ca, verify-full); only on this machine they need not (disable)."
  }
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

  validation {
    condition     = var.airflow_url == "" || can(regex("^(https?://[^/@?#]+(/[^?#]*)?|mwaa://[A-Za-z0-9_-]+)$", var.airflow_url))
    error_message = "Airflow's address is written like https://airflow.example, without a password; MWAA's like mwaa://<name>."
  }
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

  validation {
    condition = alltrue(flatten([for name, settings in var.notification_channels : [
      for setting in keys(settings) : contains(lookup({ email = ["host", "port", "sender", "recipient"], webhook = ["url", "secret"] }, name, []), setting)
    ]]))
    error_message = "A channel has the settings of docs/notifications.md: what is set here is kept in the state."
  }

  validation {
    condition     = can(regex("^https?://[^/@?#]+(/[^?#]*)?$", try(var.notification_channels.webhook.url, "http://none")))
    error_message = "An address without user, query and fragment: what may be a secret is named (secret = \"webhook.<name>\"), for this is kept in the state."
  }

  validation {
    condition     = can(regex("^webhook\\.[a-z0-9_]{1,40}$", try(var.notification_channels.webhook.secret, "webhook.none")))
    error_message = "The secret that holds the address of the webhook is named webhook.<name>."
  }
}
