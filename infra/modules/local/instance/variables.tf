################################################################################
# Instance
################################################################################

variable "name" {
  description = "Name of the instance."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,30}$", var.name))
    error_message = "A name starts with a letter and has at most 31 lower-case letters, digits and hyphens."
  }
}

variable "home" {
  description = "Folder of the instance: configuration, secrets, data, logs."
  type        = string

  validation {
    condition     = startswith(var.home, "/") && length(var.home) <= 80
    error_message = "The home is an absolute path of at most 80 characters: the address of a Unix socket has to fit behind it."
  }
}

variable "repository" {
  description = "Folder of the repository."
  type        = string
}

variable "python" {
  description = "Python interpreter of the locked environment."
  type        = string
}
