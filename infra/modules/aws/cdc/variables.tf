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
# Plugin
################################################################################

variable "plugin" {
  description = "The zip with Debezium and the provider of secrets, in S3."
  type        = object({ bucket_arn = string, key = string })

  validation {
    condition     = endswith(var.plugin.key, ".zip")
    error_message = "MSK Connect takes a plugin as a zip."
  }
}

################################################################################
# Connector
################################################################################

variable "connector" {
  description = "Configuration of the connector, as `headwater capture config` prints it; empty in the first step."
  type        = map(string)
  default     = {}

  validation {
    condition     = length(var.connector) == 0 || try(var.connector["tasks.max"] == "1" && can(regex("^.[{]secretsmanager:", var.connector["database.password"])), false)
    error_message = "A connector has one task and names its password (secretsmanager:…): a configuration is no place for a password."
  }
}

variable "connect_version" {
  description = "Version of Kafka Connect."
  type        = string
  default     = "3.7.x"
}

variable "kafka" {
  description = "The cluster: its ARN and its addresses for AWS roles."
  type        = object({ arn = string, bootstrap_servers = string })
}

variable "subnets" {
  description = "Subnets of the worker, by zone, as the module `network` gives them."
  type        = map(object({ id = string, public = bool }))

  validation {
    condition     = alltrue([for subnet in var.subnets : !subnet.public])
    error_message = "The worker lives in private subnets."
  }
}

variable "security_group" {
  description = "Security group of the worker."
  type        = string
}

variable "log_group" {
  description = "Name of the log group that the worker writes to."
  type        = string
}

################################################################################
# Role
################################################################################

variable "topics" {
  description = "Topics that capture writes: the changelogs of tables."
  type        = set(string)

  validation {
    condition     = length(var.topics) > 0 && alltrue([for topic in var.topics : can(regex("^[a-z0-9_.-]+$", topic))])
    error_message = "Topics are named one by one; `*` names none."
  }
}

variable "secret" {
  description = "Name and ARN of the secret with the password of the database's role `capture`."
  type        = object({ name = string, arn = string })
}

variable "secrets_key" {
  description = "ARN of the key that encrypts passwords."
  type        = string
}
