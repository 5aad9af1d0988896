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
# Buckets
################################################################################

variable "buckets" {
  description = "The buckets, by purpose, and for how many days old versions of an object are kept."
  type        = map(object({ keep_old_days = number }))
  default = {
    warehouse   = { keep_old_days = 7 }
    checkpoints = { keep_old_days = 1 }
    artifacts   = { keep_old_days = 30 }
    airflow     = { keep_old_days = 30 }
  }

  validation {
    condition     = alltrue([for bucket in var.buckets : bucket.keep_old_days >= 1 && bucket.keep_old_days <= 30])
    error_message = "Old versions stay for 1 to 30 days: who asks to be forgotten waits a month at most."
  }

  validation {
    condition     = length(setsubtract(["warehouse", "checkpoints", "artifacts", "airflow"], keys(var.buckets))) == 0
    error_message = "The platform needs the buckets warehouse, checkpoints, artifacts and airflow."
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

variable "disposable" {
  description = "Whether `terraform destroy` may delete buckets that are not empty. Never in production."
  type        = bool
  default     = false
}
