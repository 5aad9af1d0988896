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
# Worker
################################################################################

variable "port" {
  description = "Port of Connect's REST interface."
  type        = number

  validation {
    condition     = var.port > 1023 && var.port < 65000
    error_message = "The port lies between 1024 and 64999."
  }
}

variable "heap" {
  description = "Largest heap of the worker."
  type        = string
  default     = "256m"

  validation {
    condition     = can(regex("^[0-9]+[mg]$", var.heap))
    error_message = "A heap is written like 256m or 1g."
  }
}

################################################################################
# Kafka
################################################################################

variable "bootstrap_servers" {
  description = "Addresses of the brokers."
  type        = string

  validation {
    condition     = alltrue([for server in split(",", var.bootstrap_servers) : can(regex("^127[.]0[.]0[.]1:[0-9]+$", server))])
    error_message = "Brokers are on this machine, written like 127.0.0.1:9092."
  }
}

variable "replication" {
  description = "Replication of Connect's own topics: the number of brokers."
  type        = number
  default     = 1

  validation {
    condition     = contains([1, 3], var.replication)
    error_message = "Replication follows the number of brokers: 1 or 3."
  }
}
