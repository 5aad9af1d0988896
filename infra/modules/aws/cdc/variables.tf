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

  validation {
    condition     = can(regex("^[0-9]+[.][0-9]+[.](x|[0-9]+)$", var.connect_version))
    error_message = "A version of Connect is written like 3.7.x, as MSK Connect lists them."
  }
}

variable "kafka" {
  description = "The cluster: its ARN and its addresses for AWS roles."
  type        = object({ arn = string, bootstrap_servers = string })

  validation {
    condition     = can(regex("^arn:[a-z-]+:kafka:[a-z0-9-]+:[0-9]{12}:cluster/[A-Za-z0-9-]+/[A-Za-z0-9-]+$", var.kafka.arn))
    error_message = "A cluster is named by its ARN; rights on topics are made of it."
  }

  validation {
    condition     = alltrue([for server in split(",", var.kafka.bootstrap_servers) : endswith(server, ":9098")])
    error_message = "The worker proves itself with a role, over TLS: brokers listen to that at port 9098."
  }
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

  validation {
    condition     = can(regex("^sg-[a-z0-9]+$", var.security_group))
    error_message = "A security group is named by its id, which begins with sg-."
  }
}

variable "log_group" {
  description = "Name of the log group that the worker writes to."
  type        = string

  validation {
    condition     = can(regex("^(/[A-Za-z0-9_-]+)+$", var.log_group))
    error_message = "A log group is named by its path, such as /example/kafka."
  }
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

  validation {
    condition     = endswith(var.secret.name, "postgres.capture") && can(regex("^arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@!-]+$", var.secret.arn))
    error_message = "The secret of `capture`, and no other: by its name, and by its ARN."
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

################################################################################
# Alarms
################################################################################

variable "alarm_topic" {
  description = "ARN of the topic that alarms go to."
  type        = string

  validation {
    condition     = can(regex("^arn:[a-z-]+:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]+$", var.alarm_topic))
    error_message = "Alarms go to one topic of SNS, named by its ARN."
  }
}
