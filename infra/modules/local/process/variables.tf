################################################################################
# Part
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

variable "name" {
  description = "Name of the part; also its group in supervisord."
  type        = string

  validation {
    condition     = contains(["kafka", "connect", "postgres", "spark", "airflow"], var.name)
    error_message = "A part is one of kafka, connect, postgres, spark, airflow: headwater/local/kinds has a file for each."
  }
}

variable "files" {
  description = "Files of the part: path below the instance's home → content. `@{name}` stands for a secret, so that neither plan nor state holds one."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for path in keys(var.files) : !startswith(path, "/") && !strcontains(path, "..")])
    error_message = "Paths of files are relative to the instance's home and stay inside it."
  }
}

variable "programs" {
  description = "Supervised programs of the part, by name. Commands are argument lists: no shell takes part."
  type = map(object({
    command      = list(string)
    environment  = optional(map(string), {})
    port         = optional(number)
    stop_signal  = optional(string, "TERM")
    stop_seconds = optional(number, 20)
  }))

  validation {
    condition     = length(var.programs) > 0 && alltrue([for program in var.programs : length(program.command) > 0])
    error_message = "A part has at least one program, and each program has a command."
  }
}

variable "facts" {
  description = "What the part's preparation and readiness check need to know."
  type        = map(string)
  default     = {}
}

variable "unprivileged" {
  description = "Whether the programs must not run as root (they then run as another user when the caller is root)."
  type        = bool
  default     = false
}

variable "deadline" {
  description = "Seconds until the part must be ready."
  type        = number
  default     = 180

  validation {
    condition     = var.deadline >= 10
    error_message = "No part is ready in less than 10 seconds on a busy machine."
  }
}
