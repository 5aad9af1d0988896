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

################################################################################
# Secrets
################################################################################

variable "users" {
  description = "The user each secret belongs to, by the secret's name, e.g. kafka.apps = apps."
  type        = map(string)

  validation {
    condition     = length(var.users) > 0 && alltrue([for name in keys(var.users) : can(regex("^[a-z]+\\.[a-z]+$", name))])
    error_message = "Secrets are named like kafka.apps: the part, and the role in it."
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

variable "region" {
  description = "Region that keeps the secrets."
  type        = string

  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]$", var.region))
    error_message = "A region is written like eu-central-1."
  }
}

################################################################################
# Values
################################################################################

variable "generation" {
  description = "Raise it to give every secret a new value at the next apply."
  type        = number
  default     = 1

  validation {
    condition     = var.generation >= 1 && floor(var.generation) == var.generation
    error_message = "Generations are counted from 1."
  }
}

variable "python" {
  description = "Python that has the package headwater, which generates the values."
  type        = string
}
