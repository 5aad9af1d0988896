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
# Server
################################################################################

variable "major_version" {
  description = "Major version of PostgreSQL; minor ones follow by themselves."
  type        = string
  default     = "17"

  validation {
    condition     = can(regex("^1[6-9]$", var.major_version))
    error_message = "PostgreSQL 16 or newer: slots of older ones do not survive a failover."
  }
}

variable "production" {
  description = "Whether people rely on it: then a second server stands by, and nobody deletes it by mistake."
  type        = bool
  default     = true
}

variable "instance_class" {
  description = "Machine of the server."
  type        = string
  default     = "db.t4g.medium"

  validation {
    condition     = can(regex("^db[.][a-z0-9]+[.][a-z0-9]+$", var.instance_class)) && !strcontains(var.instance_class, ".micro")
    error_message = "A machine is written like db.t4g.medium; micro has too little memory for registry, catalog and capture."
  }
}

variable "storage_gigabytes" {
  description = "Disk of the server; it grows by itself up to five times that."
  type        = number
  default     = 50

  validation {
    condition     = var.storage_gigabytes >= 20 && var.storage_gigabytes <= 10000
    error_message = "Between 20 and 10000 GB."
  }
}

variable "slot_gigabytes" {
  description = "How much of its log the server keeps for a capture that does not read."
  type        = number
  default     = 10

  validation {
    condition     = var.slot_gigabytes >= 1 && var.slot_gigabytes <= var.storage_gigabytes / 2
    error_message = "At least 1 GB, and no more than half of the disk."
  }
}

variable "backup_days" {
  description = "Days that backups are kept."
  type        = number
  default     = 7

  validation {
    condition     = var.backup_days >= 7 && var.backup_days <= 30
    error_message = "7 to 30 days: long enough to notice, short enough to forget a person."
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

variable "subnets" {
  description = "Subnets of the server, by zone, as the module `network` gives them."
  type        = map(object({ id = string, public = bool }))

  validation {
    condition     = alltrue([for subnet in var.subnets : !subnet.public]) && length(var.subnets) >= 2
    error_message = "The server lives in private subnets of two zones at least."
  }
}

variable "security_group" {
  description = "Security group of the server."
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

variable "secrets_key" {
  description = "ARN of the key that encrypts the password of the first user."
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
