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
# Environment
################################################################################

variable "airflow_version" {
  description = "Version of Airflow that MWAA runs."
  type        = string

  validation {
    condition     = can(regex("^(3\\.[1-9]|[4-9]\\.)", var.airflow_version))
    error_message = "The DAGs need Airflow 3.1 or newer: they ask people for approval."
  }
}

variable "environment_class" {
  description = "Size of schedulers and workers."
  type        = string
  default     = "mw1.small"

  validation {
    condition     = can(regex("^mw1\\.(small|medium|large|xlarge|2xlarge)$", var.environment_class))
    error_message = "From mw1.small to mw1.2xlarge; micro has a single worker, which a long replay would fill."
  }
}

variable "max_workers" {
  description = "Workers that may run at once."
  type        = number
  default     = 2

  validation {
    condition     = var.max_workers >= 1 && var.max_workers <= 25
    error_message = "Between 1 and 25 workers."
  }
}

variable "subnets" {
  description = "Subnets, by zone, as the module `network` gives them."
  type        = map(object({ id = string, public = bool }))

  validation {
    condition     = alltrue([for subnet in var.subnets : !subnet.public]) && length(var.subnets) >= 2
    error_message = "Airflow lives in private subnets of two zones."
  }
}

variable "security_group" {
  description = "Security group of Airflow."
  type        = string
}

variable "key" {
  description = "ARN of the key that encrypts what is kept."
  type        = string

  validation {
    condition     = startswith(var.key, "arn:")
    error_message = "A key is named by its ARN: the keys that AWS keeps for everybody cannot be taken away from anybody."
  }
}

################################################################################
# Code
################################################################################

variable "bucket" {
  description = "The bucket of DAGs."
  type        = object({ name = string, arn = string })
}

variable "dags" {
  description = "Folder of the DAGs."
  type        = string

  validation {
    condition     = length(fileset(var.dags, "*.py")) > 0
    error_message = "The folder of the DAGs holds none."
  }
}

variable "requirements" {
  description = "File with the pinned packages."
  type        = string
}

variable "plugins" {
  description = "The zip of wheels and our own packages in the bucket, and its version; none in the first step."
  type        = object({ key = string, version = string })
  default     = null
}

variable "outputs" {
  description = "The contract of the environment, which every task reads; it holds no secret."
  type        = any
}

################################################################################
# Role
################################################################################

variable "secrets" {
  description = "ARNs of the passwords that tasks need, by name."
  type        = map(string)
}

variable "secrets_key" {
  description = "ARN of the key that encrypts passwords."
  type        = string
}

variable "lake" {
  description = "ARNs of the buckets warehouse, checkpoints and artifacts."
  type        = map(string)
}

variable "packed" {
  description = "Folder of our own code, packed, in the bucket artifacts."
  type        = string
}

variable "statements" {
  description = "What else tasks may do: start apps, publish views."
  type        = any

  validation {
    condition     = alltrue(flatten([for statement in var.statements : [for name in concat(statement.Action, statement.Resource) : name != "*" && !endswith(name, ":*")]]))
    error_message = "Every action is named, and every resource."
  }
}
