################################################################################
# Instance
################################################################################

variable "instance" {
  description = "Name of the instance. Each has its own home and ports."
  type        = string
  default     = "main"

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
    condition     = var.home == null || startswith(coalesce(var.home, "/"), "/")
    error_message = "The home is an absolute path."
  }
}

variable "port_base" {
  description = "First of the hundred ports of the instance."
  type        = number
  default     = 20000

  validation {
    condition     = var.port_base >= 1100 && var.port_base <= 65400 && var.port_base % 100 == 0
    error_message = "The first port is a multiple of 100 between 1100 and 65400."
  }
}

################################################################################
# Sizes
################################################################################

variable "brokers" {
  description = "Number of Kafka brokers: 1, or 3 to see replication at work."
  type        = number
  default     = 1

  validation {
    condition     = contains([1, 3], var.brokers)
    error_message = "A quorum needs an odd number: brokers is 1 or 3."
  }
}

variable "workers" {
  description = "Number of Spark workers."
  type        = number
  default     = 1

  validation {
    condition     = var.workers >= 1 && var.workers <= 8
    error_message = "Between 1 and 8 workers fit into the ports of an instance."
  }
}

variable "app_properties" {
  description = "Spark properties of every streaming app that differ from the defaults, e.g. more memory, or spark.headwater.haste = 6 to look for news six times as often as the views say."
  type        = map(string)
  default     = {}
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
