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
# Cluster
################################################################################

variable "kafka_version" {
  description = "Version of Kafka, one that keeps its own metadata (KRaft)."
  type        = string
  default     = "3.9.x.kraft"

  validation {
    condition     = can(regex("^[0-9]+[.][0-9]+[.](x|[0-9]+)[.]kraft$", var.kafka_version))
    error_message = "Only versions that end in .kraft, such as 3.9.x.kraft, run without ZooKeeper."
  }
}

variable "brokers" {
  description = "Number of brokers, a multiple of the number of subnets."
  type        = number
  default     = 3

  validation {
    condition     = var.brokers >= 2 && var.brokers <= 30
    error_message = "Between 2 and 30 brokers: a single one would lose what it loses."
  }
}

variable "production" {
  description = "Whether people rely on it: then a zone may fail."
  type        = bool
  default     = true
}

variable "instance_type" {
  description = "Machine of each broker."
  type        = string
  default     = "kafka.m7g.large"

  validation {
    condition     = can(regex("^kafka[.]m(5|7g)[.][a-z0-9]+$", var.instance_type))
    error_message = "Tiered storage wants machines of the families m5 or m7g."
  }
}

variable "volume_gigabytes" {
  description = "Disk of each broker; what is older goes to tiered storage, topic by topic."
  type        = number
  default     = 100

  validation {
    condition     = var.volume_gigabytes >= 10 && var.volume_gigabytes <= 16384
    error_message = "A broker's disk has 10 to 16384 GB."
  }
}

variable "subnets" {
  description = "Subnets of the brokers, by zone, as the module `network` gives them."
  type        = map(object({ id = string, public = bool }))

  validation {
    condition     = alltrue([for subnet in var.subnets : !subnet.public])
    error_message = "Brokers live in private subnets."
  }
}

variable "security_group" {
  description = "Security group of the brokers."
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

variable "log_group" {
  description = "Name of the log group that the brokers write to."
  type        = string

  validation {
    condition     = can(regex("^(/[A-Za-z0-9_-]+)+$", var.log_group))
    error_message = "A log group is named by its path, such as /example/kafka."
  }
}

################################################################################
# Users
################################################################################

variable "secrets" {
  description = "ARN of each user's secret, as the module `secrets` gives them."
  type        = map(string)

  validation {
    condition     = contains(keys(var.secrets), "kafka.admin")
    error_message = "Somebody must be able to make topics: a secret kafka.admin is missing."
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
