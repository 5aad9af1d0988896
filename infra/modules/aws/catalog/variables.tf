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
# Databases
################################################################################

variable "namespaces" {
  description = "Namespaces of the lake that readers see, and what is in them."
  type        = map(string)
  default     = { views = "what readers query" }

  validation {
    condition     = length(var.namespaces) > 0 && alltrue([for name in keys(var.namespaces) : contains(["views", "versions"], name)])
    error_message = "Readers see views and their versions; state, late events and quarantine are not theirs."
  }
}

variable "warehouse" {
  description = "Where Iceberg tables live."
  type        = string

  validation {
    condition     = can(regex("^s3://[a-z0-9.-]+(/[A-Za-z0-9_-]+)*$", var.warehouse))
    error_message = "The warehouse is in S3."
  }
}

################################################################################
# Access
################################################################################

variable "warehouse_arn" {
  description = "ARN of the warehouse's bucket."
  type        = string

  validation {
    condition     = can(regex("^arn:[a-z-]+:s3:::[a-z0-9.-]+$", var.warehouse_arn))
    error_message = "A bucket is named by its ARN, as a whole."
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

