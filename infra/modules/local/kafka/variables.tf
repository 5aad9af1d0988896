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
# Brokers
################################################################################

variable "brokers" {
  description = "Number of brokers, each also a controller: 1, or 3 to see replication at work."
  type        = number
  default     = 1

  validation {
    condition     = contains([1, 3], var.brokers)
    error_message = "A quorum needs an odd number: brokers is 1 or 3."
  }
}

variable "port" {
  description = "Port of the first broker for clients; the next brokers take the next ports."
  type        = number

  validation {
    condition     = var.port > 1023 && var.port < 65000
    error_message = "The port lies between 1024 and 64999."
  }
}

variable "controller_port" {
  description = "Port of the first controller; the next controllers take the next ports."
  type        = number

  validation {
    condition     = var.controller_port > 1023 && var.controller_port < 65000 && abs(var.controller_port - var.port) > 2
    error_message = "The controller's port lies between 1024 and 64999, at least 3 away from the clients' port."
  }
}

variable "heap" {
  description = "Largest heap of a broker."
  type        = string
  default     = "448m"

  validation {
    condition     = can(regex("^[0-9]+[mg]$", var.heap))
    error_message = "A heap is written like 448m or 1g."
  }
}
