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
# Logs
################################################################################

variable "log_groups" {
  description = "Parts that write logs."
  type        = set(string)
  default     = ["network", "kafka", "spark", "connect"]

  validation {
    condition     = alltrue([for part in var.log_groups : can(regex("^[a-z]+$", part))])
    error_message = "A part is a word; its log group is /<name>/<part>."
  }
}

variable "retention_days" {
  description = "Days that logs are kept."
  type        = number
  default     = 30

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30], var.retention_days)
    error_message = "1, 3, 5, 7, 14 or 30 days: logs may name people, who wait a month at most to be forgotten."
  }
}

variable "key" {
  description = "ARN of the key that encrypts what is kept."
  type        = string

  validation {
    condition     = can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$", var.key))
    error_message = "A key is named by its ARN: the keys that AWS keeps for everybody cannot be taken away from anybody."
  }
}

################################################################################
# Alarms
################################################################################

variable "emails" {
  description = "Addresses that hear of alarms; each has to confirm."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for email in var.emails : can(regex("^[^@ ]+@[^@ ]+$", email))])
    error_message = "Addresses are written like somebody@example.org."
  }
}

################################################################################
# Lag and freshness
################################################################################

variable "most_records" {
  description = "How many records an app may be behind before somebody hears of it."
  type        = number
  default     = 100000

  validation {
    condition     = var.most_records > 0
    error_message = "Every app is a little behind: the bound is above 0."
  }
}

variable "most_seconds" {
  description = "How many seconds an app may be behind before somebody hears of it."
  type        = number
  default     = 300

  validation {
    condition     = var.most_seconds >= 60
    error_message = "MSK measures once a minute: the bound is 60 seconds or more."
  }
}

################################################################################
# Failed apps
################################################################################

variable "application" {
  description = "Id of the EMR Serverless application whose failures are told."
  type        = string

  validation {
    condition     = can(regex("^[a-z0-9]+$", var.application))
    error_message = "An application is named by its id, such as 00f5trm1fv0d3p09."
  }
}
