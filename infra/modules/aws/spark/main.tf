################################################################################
# Application
################################################################################

resource "aws_emrserverless_application" "this" {
  name          = var.name
  type          = "spark"
  release_label = var.release_label
  architecture  = "ARM64"

  # Streams never rest: what they have is what they need, and no more than this may ever run.
  maximum_capacity {
    cpu    = "${var.maximum.cpus} vCPU"
    memory = "${var.maximum.memory_gigabytes} GB"
    disk   = "${var.maximum.disk_gigabytes} GB"
  }

  auto_start_configuration {
    enabled = true
  }

  auto_stop_configuration {
    enabled              = true
    idle_timeout_minutes = 15
  }

  network_configuration {
    subnet_ids         = [for subnet in var.subnets : subnet.id]
    security_group_ids = [var.security_group]
  }

  tags = var.tags
}

################################################################################
# Apps
################################################################################

locals {
  # Drivers and executors run the Python that the artifact was tested with, unpacked beside them. The jars are
  # those of infra/jvm/ivy.xml: none is fetched at run time.
  app_properties = {
    "spark.driver.cores"                            = "1"
    "spark.driver.memory"                           = "3g"
    "spark.executor.cores"                          = "2"
    "spark.executor.memory"                         = "6g"
    "spark.executor.instances"                      = "1"
    "spark.dynamicAllocation.enabled"               = "false" # a streaming query's state lives with its executors
    "spark.jars"                                    = "${var.code}/jars/*"
    "spark.archives"                                = "${var.code}/python/environment.tar.gz#environment"
    "spark.emr-serverless.driverEnv.PYSPARK_PYTHON" = "./environment/bin/python"
    "spark.executorEnv.PYSPARK_PYTHON"              = "./environment/bin/python"
  }

  # What every app may do. A candidate or an older version runs as an app of its own, as `replay`.
  apps = setunion(var.apps, ["replay"])

  read_code = {
    Sid      = "ReadCode"
    Effect   = "Allow"
    Action   = ["s3:GetObject"]
    Resource = ["${var.buckets["artifacts"]}/*"]
  }
  keep_views = {
    Sid      = "KeepViews"
    Effect   = "Allow"
    Action   = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"]
    Resource = ["${var.buckets["warehouse"]}/*", "${var.buckets["checkpoints"]}/*"]
  }
  list_buckets = {
    Sid      = "ListBuckets"
    Effect   = "Allow"
    Action   = ["s3:ListBucket", "s3:GetBucketLocation"]
    Resource = [for purpose in ["warehouse", "checkpoints", "artifacts"] : var.buckets[purpose]]
  }
  use_keys = {
    Sid      = "UseKeys"
    Effect   = "Allow"
    Action   = ["kms:Decrypt", "kms:GenerateDataKey"]
    Resource = var.keys
  }
  read_passwords = {
    Sid      = "ReadPasswords"
    Effect   = "Allow"
    Action   = ["secretsmanager:GetSecretValue"]
    Resource = values(var.secrets)
  }
}

resource "aws_iam_role" "app" {
  for_each = local.apps

  name = "${var.name}-app-${each.key}"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "emr-serverless.amazonaws.com" }
      Action    = "sts:AssumeRole"
      Condition = {
        StringEquals = { "aws:SourceAccount" = var.account.id }
        ArnLike      = { "aws:SourceArn" = aws_emrserverless_application.this.arn }
      }
    }]
  })

  tags = var.tags
}

resource "aws_iam_role_policy" "app" {
  for_each = local.apps

  name = "work"
  role = aws_iam_role.app[each.key].id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      local.read_code, local.keep_views, local.list_buckets, local.use_keys, local.read_passwords,
      {
        Sid      = "WriteOwnLog"
        Effect   = "Allow"
        Action   = ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogStreams"]
        Resource = ["${var.log_group.arn}:log-stream:${each.key}/*"]
      },
      {
        Sid      = "FindLog"
        Effect   = "Allow"
        Action   = ["logs:DescribeLogGroups"]
        Resource = ["arn:aws:logs:${var.account.region}:${var.account.id}:log-group:*"] # a list of names: AWS does not narrow it
      },
    ]
  })
}

################################################################################
# Submission
################################################################################

locals {
  # For whoever supervises the apps.
  submission = [
    {
      Sid      = "StartApps"
      Effect   = "Allow"
      Action   = ["emr-serverless:StartJobRun", "emr-serverless:ListJobRuns", "emr-serverless:GetApplication"]
      Resource = [aws_emrserverless_application.this.arn]
    },
    {
      Sid      = "LookAfterApps"
      Effect   = "Allow"
      Action   = ["emr-serverless:GetJobRun", "emr-serverless:CancelJobRun", "emr-serverless:GetDashboardForJobRun"]
      Resource = ["${aws_emrserverless_application.this.arn}/jobruns/*"]
    },
    {
      Sid       = "GiveAppsTheirRoles"
      Effect    = "Allow"
      Action    = ["iam:PassRole"]
      Resource  = [for role in aws_iam_role.app : role.arn]
      Condition = { StringEquals = { "iam:PassedToService" = "emr-serverless.amazonaws.com" } }
    },
  ]
}
