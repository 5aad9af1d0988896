################################################################################
# Names
################################################################################

variable "name" {
  description = "Name of the platform; every resource's name begins with it."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,25}$", var.name))
    error_message = "A name starts with a letter and has 2 to 26 lower-case letters, digits and hyphens."
  }
}

variable "tags" {
  description = "Tags of every resource."
  type        = map(string)
  default     = {}
}

variable "account" {
  description = "Where everything is: the id of the account and the region."
  type        = object({ id = string, region = string })

  validation {
    condition     = can(regex("^[0-9]{12}$", var.account.id))
    error_message = "The id of an account has twelve digits."
  }
}

################################################################################
# Keys
################################################################################

variable "purposes" {
  description = "What each key is for, and whether AWS's own services (logs, alarms) use it, too."
  type        = map(object({ description = string, services = optional(bool, false) }))
  default = {
    data    = { description = "what is stored: log, lake, database, logs", services = true }
    secrets = { description = "passwords" }
    erasure = { description = "wraps the keys of people; a person is forgotten by destroying theirs" }
  }

  validation {
    condition     = contains(keys(var.purposes), "erasure") && !try(var.purposes["erasure"].services, false)
    error_message = "People's keys need one of their own, which no service uses."
  }
}
