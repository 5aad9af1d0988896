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
# Master
################################################################################

variable "ports" {
  description = "Ports: the master's RPC, REST submission and UI; the first worker's UI (the next workers take the next ports)."
  type = object({
    master    = number
    rest      = number
    ui        = number
    worker_ui = number
  })

  validation {
    condition     = alltrue([for port in values(var.ports) : port > 1023 && port < 65000])
    error_message = "Each port lies between 1024 and 64999."
  }
}

################################################################################
# Apps
################################################################################

variable "app_properties" {
  description = "Spark properties of every streaming app that differ from the module's own."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.app_properties) : startswith(name, "spark.")])
    error_message = "Spark's properties begin with `spark.`."
  }
}

################################################################################
# Jobs
################################################################################

variable "job_memory" {
  description = "Memory of a bounded job: a proof, a check."
  type        = string
  default     = "1g"

  validation {
    condition     = can(regex("^[0-9]+[mg]$", var.job_memory))
    error_message = "Memory is written like 1g or 1536m."
  }
}

################################################################################
# Workers
################################################################################

variable "workers" {
  description = "Number of workers."
  type        = number
  default     = 1

  validation {
    condition     = var.workers >= 1 && var.workers <= 8
    error_message = "Between 1 and 8 workers fit into the ports of an instance."
  }
}

variable "cores" {
  description = "Cores a worker offers: slots for drivers and executors, not cores of the machine."
  type        = number
  default     = 16

  validation {
    condition     = var.cores >= 2
    error_message = "A streaming app needs 2 slots: one for its driver, one for an executor."
  }
}

variable "memory" {
  description = "Memory a worker offers to drivers and executors."
  type        = string
  default     = "8g"

  validation {
    condition     = can(regex("^[0-9]+[mg]$", var.memory))
    error_message = "Memory is written like 4g or 3072m."
  }
}
