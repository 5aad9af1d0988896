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
# Application
################################################################################

variable "release_label" {
  description = "Release of EMR, one with Spark 4: the views are tested on it, and checkpoints do not go back."
  type        = string

  validation {
    condition     = can(regex("^emr-(spark-)?([8-9]|[1-9][0-9])\\.[0-9]+(\\.[0-9]+)?(-preview)?$", var.release_label))
    error_message = "A release is written like emr-spark-8.0.0; releases before 8 have Spark 3."
  }
}

variable "maximum" {
  description = "What may run at once, over all apps: it bounds the bill."
  type        = object({ cpus = number, memory_gigabytes = number, disk_gigabytes = number })
  default     = { cpus = 16, memory_gigabytes = 64, disk_gigabytes = 400 }

  validation {
    condition     = var.maximum.cpus >= 4 && var.maximum.memory_gigabytes >= 2 * var.maximum.cpus
    error_message = "At least 4 processors, and 2 GB for each: less does not start two apps."
  }
}

variable "subnets" {
  description = "Subnets of drivers and executors, by zone, as the module `network` gives them."
  type        = map(object({ id = string, public = bool }))

  validation {
    condition     = alltrue([for subnet in var.subnets : !subnet.public])
    error_message = "Drivers and executors live in private subnets."
  }
}

variable "security_group" {
  description = "Security group of drivers and executors."
  type        = string

  validation {
    condition     = can(regex("^sg-[a-z0-9]+$", var.security_group))
    error_message = "A security group is named by its id, which begins with sg-."
  }
}

################################################################################
# Apps
################################################################################

variable "apps" {
  description = "The views of each app; an app has a role of its own, which writes these views and no other."
  type        = map(set(string))

  validation {
    condition     = length(var.apps) > 0 && alltrue([for app in keys(var.apps) : can(regex("^[a-z][a-z0-9_]*$", app)) && !contains(["replay", "jobs", "check", "backfill", "batch", "maintain", "verify"], app)])
    error_message = "An app is named like the group of its views; `replay` is taken, by apps of one version, and so are the names of jobs."
  }

  validation {
    condition     = alltrue([for view in flatten([for views in var.apps : tolist(views)]) : can(regex("^[a-z][a-z0-9_]*$", view))])
    error_message = "A view is named by lower-case letters, digits and underscores: anything else would be a right to more than a view."
  }

  validation {
    condition     = alltrue([for views in var.apps : length(views) <= 50])
    error_message = "An app has 50 views at most: AWS gives a role ten policies, and a policy has room for five views."
  }
}

variable "archive" {
  description = "The app that keeps the cold log."
  type        = string

  validation {
    condition     = contains(keys(var.apps), var.archive)
    error_message = "The cold log is kept by one of the apps."
  }
}

variable "app_properties" {
  description = "Spark properties of every app that differ from the defaults, e.g. more memory."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.app_properties) : startswith(name, "spark.")])
    error_message = "Spark's properties begin with `spark.`."
  }
}

variable "code" {
  description = "Address of the folder that holds Python's environment and the jars."
  type        = string

  validation {
    condition     = can(regex("^s3://[a-z0-9.-]+(/[A-Za-z0-9_-]+)*$", var.code))
    error_message = "EMR fetches code from S3."
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

variable "buckets" {
  description = "ARNs of the buckets warehouse, checkpoints and artifacts."
  type        = map(string)

  validation {
    condition     = length(setsubtract(["warehouse", "checkpoints", "artifacts"], keys(var.buckets))) == 0 && alltrue([for arn in values(var.buckets) : can(regex("^arn:[a-z-]+:s3:::[a-z0-9.-]+$", arn))])
    error_message = "The buckets warehouse, checkpoints and artifacts, each by its ARN and as a whole."
  }
}

variable "keys" {
  description = "ARNs of the keys of data and passwords."
  type        = list(string)

  validation {
    condition     = alltrue([for key in var.keys : can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$", key))])
    error_message = "A key is named by its ARN."
  }
}

variable "secrets" {
  description = "ARNs of the passwords that apps and jobs need, by name."
  type        = map(string)

  validation {
    condition     = keys(var.secrets) == tolist(["kafka.apps", "kafka.control", "kafka.replay", "postgres.headwater"])
    error_message = "Apps and jobs need the passwords kafka.apps, kafka.control (for alarms), kafka.replay and postgres.headwater, and no other."
  }
}

variable "log_group" {
  description = "The log group that drivers and executors write to."
  type        = object({ name = string, arn = string })

  validation {
    condition     = can(regex("^(/[A-Za-z0-9_-]+)+$", var.log_group.name)) && can(regex("^arn:[a-z-]+:logs:[a-z0-9-]+:[0-9]{12}:log-group:/?[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$", var.log_group.arn))
    error_message = "A log group has a path, such as /example/spark, and an ARN, without its streams."
  }
}
