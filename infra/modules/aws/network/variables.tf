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

  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]$", var.account.region))
    error_message = "A region is written like eu-central-1."
  }
}

################################################################################
# Network
################################################################################

variable "cidr" {
  description = "Addresses of the network."
  type        = string
  default     = "10.64.0.0/16"

  validation {
    condition     = can(cidrhost(var.cidr, 0)) && can(regex("^(10\\.|172\\.(1[6-9]|2[0-9]|3[01])\\.|192\\.168\\.)", var.cidr))
    error_message = "The addresses are private ones, for example 10.64.0.0/16."
  }

  validation {
    condition     = try(tonumber(split("/", var.cidr)[1]), 0) <= 20
    error_message = "A network of a /20 or more has room for Spark's executors, which take an address each."
  }
}

variable "zones" {
  description = "Availability zones, one subnet each."
  type        = list(string)

  validation {
    condition     = length(distinct(var.zones)) == length(var.zones) && length(var.zones) >= 2 && length(var.zones) <= 3
    error_message = "Two or three different zones: one may fail."
  }
}

################################################################################
# Endpoints
################################################################################

variable "endpoints" {
  description = "AWS services that the network reaches without the internet, beside S3."
  type        = set(string)
  default = [
    "airflow.api", "airflow.env", "airflow.ops", "ecr.api", "ecr.dkr", "emr-serverless",
    "glue", "kafkaconnect", "kms", "logs", "monitoring", "secretsmanager", "sns", "sqs", "sts",
  ]

  validation {
    condition     = length(setsubtract(["airflow.env", "emr-serverless", "glue", "kafkaconnect", "kms", "secretsmanager"], var.endpoints)) == 0
    error_message = "The platform itself asks airflow.env, emr-serverless, glue, kafkaconnect, kms and secretsmanager: there is no other way out."
  }
}

variable "buckets" {
  description = "ARNs of the buckets that the network reaches, beside those that AWS's own services fetch from."
  type        = set(string)

  validation {
    condition     = length(var.buckets) > 0 && alltrue([for arn in var.buckets : can(regex("^arn:[a-z-]+:s3:::[a-z0-9.-]+$", arn))])
    error_message = "Buckets are named one by one, by their ARNs; `*` would be everybody's."
  }
}

variable "endpoint_zones" {
  description = "Zones in which the endpoints have an address; each costs."
  type        = number
  default     = 2

  validation {
    condition     = var.endpoint_zones >= 1 && var.endpoint_zones <= length(var.zones)
    error_message = "At least one zone, and no more than the network has."
  }
}

################################################################################
# Flow log
################################################################################

variable "flow_log_group" {
  description = "ARN of the log group that hears of refused connections."
  type        = string

  validation {
    condition     = can(regex("^arn:[a-z-]+:logs:[a-z0-9-]+:[0-9]{12}:log-group:/?[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$", var.flow_log_group))
    error_message = "A log group is named by its ARN, without its streams."
  }
}
