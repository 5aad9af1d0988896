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
    condition     = can(regex("^(3[.][1-9][0-9]*|[4-9][.][0-9]+)[.][0-9]+$", var.airflow_version))
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

  validation {
    condition     = can(regex("^sg-[a-z0-9]+$", var.security_group))
    error_message = "A security group is named by its id, which begins with sg-."
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

variable "retention_days" {
  description = "Days that logs are kept."
  type        = number
  default     = 30

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30], var.retention_days)
    error_message = "1, 3, 5, 7, 14 or 30 days: logs may name people, who wait a month at most to be forgotten."
  }
}

################################################################################
# Code
################################################################################

variable "bucket" {
  description = "The bucket of DAGs."
  type        = object({ name = string, arn = string })

  validation {
    condition     = can(regex("^arn:[a-z-]+:s3:::[a-z0-9.-]+$", var.bucket.arn)) && endswith(var.bucket.arn, ":${var.bucket.name}")
    error_message = "A bucket has a name, and an ARN that ends with it."
  }
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
  description = "File with the packages that tasks need beside those that MWAA brings, none of which it may name."
  type        = string

  validation {
    condition     = fileexists(var.requirements)
    error_message = "The file with the packages is there."
  }

  validation {
    condition     = !can(regex("(?im)^(apache-airflow([=<>~ ]|$)|.*--hash)", file(var.requirements)))
    error_message = "MWAA has its own Airflow: a file that names another, or hashes that what MWAA adds does not have, is refused as a whole, and nothing is installed."
  }
}

variable "plugins" {
  description = "The zip of wheels and our own packages in the bucket, and its version; none in the first step."
  type        = object({ key = string, version = string })
  default     = null

  validation {
    condition     = var.plugins == null ? true : endswith(var.plugins.key, ".zip") && var.plugins.version != ""
    error_message = "MWAA takes plugins as a zip, in one version: the newest may not be the one that was looked at."
  }
}

variable "outputs" {
  description = "The contract of the environment, as JSON, which every task reads; it holds no secret."
  type        = string

  validation {
    condition     = can(jsondecode(var.outputs).instance)
    error_message = "The contract is a JSON object that names the instance, at least."
  }
}

################################################################################
# Role
################################################################################

variable "secrets" {
  description = "ARNs of the passwords that tasks need, by name."
  type        = map(string)

  validation {
    condition     = alltrue([for arn in values(var.secrets) : can(regex("^arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@!-]+$", arn))])
    error_message = "Each secret is named by its ARN; `*` names none."
  }
}

variable "secrets_key" {
  description = "ARN of the key that encrypts passwords."
  type        = string

  validation {
    condition     = can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$", var.secrets_key))
    error_message = "A key is named by its ARN: the keys that AWS keeps for everybody cannot be taken away from anybody."
  }
}

variable "lake" {
  description = "ARNs of the buckets warehouse, checkpoints and artifacts."
  type        = map(string)

  validation {
    condition     = length(setsubtract(["warehouse", "checkpoints", "artifacts"], keys(var.lake))) == 0 && alltrue([for arn in values(var.lake) : can(regex("^arn:[a-z-]+:s3:::[a-z0-9.-]+$", arn))])
    error_message = "The buckets warehouse, checkpoints and artifacts, each by its ARN and as a whole."
  }
}

variable "packed" {
  description = "Folder of our own code, packed, in the bucket artifacts."
  type        = string

  validation {
    condition     = can(regex("^[a-z]+$", var.packed))
    error_message = "A folder is a word: apps may read, and maintenance may empty, all that is in it."
  }
}

variable "statements" {
  description = "What else tasks may do: start apps, publish views."
  type = list(object({
    Sid       = string
    Effect    = string
    Action    = list(string)
    Resource  = list(string)
    Condition = optional(map(map(string)))
  }))

  validation {
    condition     = alltrue(flatten([for statement in var.statements : [for action in statement.Action : !strcontains(action, "*")]]))
    error_message = "Every action is named."
  }

  validation {
    condition     = alltrue(flatten([for statement in var.statements : [for resource in statement.Resource : resource != "*" && !endswith(resource, ":*")]]))
    error_message = "Every resource is named."
  }
}
