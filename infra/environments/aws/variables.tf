################################################################################
# Instance
################################################################################

variable "instance" {
  description = "Name of the instance; its resources are called headwater-<instance>."
  type        = string
  default     = "main"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,15}$", var.instance))
    error_message = "A name starts with a letter and has at most 16 lower-case letters, digits and hyphens."
  }
}

variable "region" {
  description = "Region of everything."
  type        = string
  default     = "eu-central-1"

  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]$", var.region))
    error_message = "A region is written like eu-central-1."
  }
}

variable "production" {
  description = "Whether people rely on it: three zones, a second database server, nothing deleted by mistake."
  type        = bool
  default     = true
}

variable "zones" {
  description = "Letters of the region's availability zones; three in production, else the first two."
  type        = list(string)
  default     = ["a", "b", "c"]

  validation {
    condition     = length(var.zones) == 3 && alltrue([for letter in var.zones : can(regex("^[a-f]$", letter))])
    error_message = "Three letters, for example a, b, c."
  }
}

variable "cidr" {
  description = "Addresses of the network."
  type        = string
  default     = "10.64.0.0/16"
}

variable "tags" {
  description = "Tags of every resource, beside project and instance."
  type        = map(string)
  default     = {}
}

variable "password_generation" {
  description = "Raise it to give every user a new password at the next apply."
  type        = number
  default     = 1
}

################################################################################
# Sizes
################################################################################

variable "brokers" {
  description = "Number of Kafka brokers, a multiple of the number of zones."
  type        = number
  default     = 3
}

variable "broker_type" {
  description = "Machine of each broker."
  type        = string
  default     = "kafka.m7g.large"
}

variable "broker_gigabytes" {
  description = "Disk of each broker."
  type        = number
  default     = 100
}

variable "database_class" {
  description = "Machine of the database."
  type        = string
  default     = "db.t4g.medium"
}

variable "app_properties" {
  description = "Spark properties of every streaming app that differ from the defaults, e.g. more memory."
  type        = map(string)
  default     = {}
}

################################################################################
# Versions
################################################################################

variable "emr_release" {
  description = "Release of EMR Serverless, one with Spark 4."
  type        = string
}

variable "airflow_version" {
  description = "Version of Airflow that MWAA runs, 3.1 or newer."
  type        = string
}

################################################################################
# Code
################################################################################

variable "airflow_plugins" {
  description = "The zip of wheels and our own packages in the bucket of DAGs, and its version; none in the first step."
  type        = object({ key = string, version = string })
  default     = null
}

variable "connector" {
  description = "Configuration of the connector, as `headwater capture config` prints it; empty in the first step."
  type        = map(string)
  default     = {}
}

################################################################################
# Notifications
################################################################################

variable "alarm_emails" {
  description = "Addresses that hear of alarms; each has to confirm."
  type        = set(string)
  default     = []
}

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
