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
# Server
################################################################################

variable "port" {
  description = "Port of the server."
  type        = number

  validation {
    condition     = var.port > 1023 && var.port < 65000
    error_message = "The port lies between 1024 and 64999."
  }
}

variable "max_connections" {
  description = "How many clients may be connected at once."
  type        = number
  default     = 300

  validation {
    condition     = var.max_connections >= 40
    error_message = "Airflow, Connect and the streaming apps together need 40 connections or more."
  }
}
