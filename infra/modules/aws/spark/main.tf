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
    "spark.driver.cores"                                   = "1"
    "spark.driver.memory"                                  = "3g"
    "spark.executor.cores"                                 = "2"
    "spark.executor.memory"                                = "6g"
    "spark.executor.instances"                             = "1"
    "spark.dynamicAllocation.enabled"                      = "false" # a streaming query's state lives with its executors
    "spark.jars"                                           = "${var.code}/jars/*"
    "spark.archives"                                       = "${var.code}/python/environment.tar.gz#environment"
    "spark.emr-serverless.driverEnv.PYSPARK_DRIVER_PYTHON" = "./environment/bin/python"
    "spark.emr-serverless.driverEnv.PYSPARK_PYTHON"        = "./environment/bin/python"
    "spark.emr-serverless.driverEnv.AWS_DEFAULT_REGION"    = var.account.region # the only name that boto3 reads it by
    "spark.executorEnv.PYSPARK_PYTHON"                     = "./environment/bin/python"
  }

  # Candidates and older versions run as apps of their own; what they are called, Terraform cannot know.
  apps = merge(var.apps, { replay = [] })
}

resource "aws_iam_role" "app" {
  for_each = local.apps

  name               = "${var.name}-app-${each.key}"
  assume_role_policy = local.assumed_by_emr

  tags = var.tags
}

resource "aws_iam_role_policy" "app" {
  for_each = local.apps

  name = "work"
  role = aws_iam_role.app[each.key].id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat(local.shared, local.logging[each.key], [
      {
        Sid      = "ReadPasswords"
        Effect   = "Allow"
        Action   = ["secretsmanager:GetSecretValue"]
        Resource = [for name in local.passwords[each.key] : var.secrets[name]]
      },
      local.mark_folders,
      ], [for writes in local.writes_apart[each.key] : {
        Sid      = "Write"
        Effect   = "Allow"
        Action   = local.write
        Resource = writes
    }])
  })
}

locals {
  # A version apart writes no topic, and so reads as another user (one that is live and has a topic runs with
  # the role of its group); the archive raises alarms.
  passwords = { for app in keys(local.apps) : app => concat(
    app == "replay" ? ["kafka.replay"] : ["kafka.apps"], app == var.archive ? ["kafka.control"] : [], ["postgres.headwater"]
  ) }

  # The archive keeps the cold log and what is no event; a version apart may be one of any view, but moves no reader.
  writes_apart = merge({ for app in keys(var.apps) : app => [] }, {
    replay        = [concat([for namespace in ["versions", "state", "late"] : "${local.warehouse}/${namespace}/*"], ["${local.checkpoints}/views/*", "${local.checkpoints}/late/*"])]
    (var.archive) = [["${local.warehouse}/cold/*", "${local.warehouse}/quarantine/*", "${local.checkpoints}/cold/*"]]
  })

  # The versions of a view, wherever they leave something.
  places_of_views = { for app, views in var.apps : app => [for view in sort(views) : [
    "${local.warehouse}/versions/${view}__*",
    "${local.warehouse}/state/${view}__*",
    "${local.warehouse}/late/${view}__*",
    "${local.warehouse}/views/${view}/*",
    "${local.checkpoints}/views/${view}/*",
    "${local.checkpoints}/late/${view}__*",
  ]] }

  # AWS bounds how long a policy may be: a few views in each.
  few = 5
  views = merge([for app, places in local.places_of_views : {
    for number, some in chunklist(places, local.few) : "${app}-${number}" => { app = app, places = flatten(some) }
  }]...)
}

resource "aws_iam_policy" "views" {
  for_each = local.views

  name        = "${var.name}-views-${each.key}"
  description = "Keeps some views of the app ${each.value.app} up to date"
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid      = "KeepViews"
      Effect   = "Allow"
      Action   = local.write
      Resource = each.value.places
    }]
  })

  tags = var.tags
}

resource "aws_iam_role_policy_attachment" "views" {
  for_each = local.views

  role       = aws_iam_role.app[each.value.app].name
  policy_arn = aws_iam_policy.views[each.key].arn
}

################################################################################
# Jobs
################################################################################

locals {
  # What a bounded job writes, by its name. `jobs` is for all others: they only look.
  jobs = {
    jobs     = { writes = [], passwords = ["kafka.replay", "postgres.headwater"] }
    check    = { writes = ["quality"], passwords = ["kafka.control", "kafka.replay", "postgres.headwater"] }
    backfill = { writes = ["versions"], passwords = ["kafka.replay", "postgres.headwater"] }
    batch    = { writes = ["batch", "serving"], passwords = ["kafka.control", "kafka.replay", "postgres.headwater"] }
    maintain = { writes = local.namespaces, passwords = ["postgres.headwater"] }
    verify   = { writes = ["scratch"], passwords = ["kafka.replay", "postgres.headwater"] }
  }
  namespaces = ["batch", "cold", "late", "quality", "quarantine", "scratch", "serving", "state", "versions", "views"]
  progress   = { verify = ["${local.checkpoints}/scratch/*"] }                  # of queries that a job runs
  removes    = { maintain = [["${local.checkpoints}/*", "${local.packed}/*"]] } # of versions that were let go, and unneeded code
}

resource "aws_iam_role" "job" {
  for_each = local.jobs

  name               = "${var.name}-job-${each.key}"
  assume_role_policy = local.assumed_by_emr

  tags = var.tags
}

resource "aws_iam_role_policy" "job" {
  for_each = local.jobs

  name = "work"
  role = aws_iam_role.job[each.key].id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat(local.shared, local.logging[each.key], [
      {
        Sid      = "ReadPasswords"
        Effect   = "Allow"
        Action   = ["secretsmanager:GetSecretValue"]
        Resource = [for name in each.value.passwords : var.secrets[name]]
      },
      ], length(each.value.writes) == 0 ? [] : [local.mark_folders], [for places in [each.value.writes] : {
        Sid      = "Write"
        Effect   = "Allow"
        Action   = local.write
        Resource = concat([for namespace in places : "${local.warehouse}/${namespace}/*"], lookup(local.progress, each.key, []))
        } if length(places) > 0], [for places in lookup(local.removes, each.key, []) : {
        Sid      = "Remove"
        Effect   = "Allow"
        Action   = ["s3:DeleteObject"]
        Resource = places
    }])
  })
}

################################################################################
# What apps and jobs have in common
################################################################################

locals {
  warehouse   = var.buckets["warehouse"]
  checkpoints = var.buckets["checkpoints"]
  packed      = "${var.buckets["artifacts"]}/${var.packed}"
  write       = ["s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"]

  assumed_by_emr = jsonencode({
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

  # As Hadoop does, with empty objects, for every folder up to the bucket.
  mark_folders = {
    Sid      = "MarkFolders"
    Effect   = "Allow"
    Action   = ["s3:PutObject"]
    Resource = ["${local.warehouse}/*_$folder$", "${local.checkpoints}/*_$folder$"]
  }

  # Reading is shared: Hadoop looks at every folder on the way to a file, and takes a refusal for a failure.
  shared = [
    {
      Sid      = "ReadCode"
      Effect   = "Allow"
      Action   = ["s3:GetObject"]
      Resource = ["${local.packed}/*", "${var.buckets["artifacts"]}/runtime/*"]
    },
    {
      Sid      = "ReadLake"
      Effect   = "Allow"
      Action   = ["s3:GetObject"]
      Resource = ["${local.warehouse}/*", "${local.checkpoints}/*"]
    },
    {
      Sid      = "ListBuckets"
      Effect   = "Allow"
      Action   = ["s3:ListBucket", "s3:GetBucketLocation"]
      Resource = [for purpose in ["warehouse", "checkpoints", "artifacts"] : var.buckets[purpose]]
    },
    {
      Sid      = "UseKeys"
      Effect   = "Allow"
      Action   = ["kms:Decrypt", "kms:GenerateDataKey"]
      Resource = var.keys
    },
    {
      Sid      = "FindLog"
      Effect   = "Allow"
      Action   = ["logs:DescribeLogGroups"]
      Resource = ["arn:aws:logs:${var.account.region}:${var.account.id}:log-group:*"] # a list of names: AWS does not narrow it
    },
  ]
  logging = { for name in concat(keys(local.apps), keys(local.jobs)) : name => [
    {
      Sid      = "WriteOwnLog"
      Effect   = "Allow"
      Action   = ["logs:CreateLogStream", "logs:PutLogEvents"]
      Resource = ["${var.log_group.arn}:log-stream:${name}/*"]
    },
    {
      Sid      = "FindOwnLog"
      Effect   = "Allow"
      Action   = ["logs:DescribeLogStreams"]
      Resource = [var.log_group.arn, "${var.log_group.arn}:log-stream:"] # asked of the group, which AWS writes in both ways
    },
  ] }
}

################################################################################
# Submission
################################################################################

locals {
  # For whoever supervises the apps, and runs jobs.
  submission = [
    {
      Sid      = "StartRuns"
      Effect   = "Allow"
      Action   = ["emr-serverless:StartJobRun", "emr-serverless:ListJobRuns", "emr-serverless:GetApplication"]
      Resource = [aws_emrserverless_application.this.arn]
    },
    {
      Sid      = "LookAfterRuns"
      Effect   = "Allow"
      Action   = ["emr-serverless:GetJobRun", "emr-serverless:CancelJobRun"]
      Resource = ["${aws_emrserverless_application.this.arn}/jobruns/*"]
    },
    {
      Sid      = "TagRuns" # with the start: without this right a run that has tags is not started
      Effect   = "Allow"
      Action   = ["emr-serverless:TagResource"]
      Resource = [aws_emrserverless_application.this.arn, "${aws_emrserverless_application.this.arn}/jobruns/*"]
    },
    {
      Sid       = "GiveRunsTheirRoles"
      Effect    = "Allow"
      Action    = ["iam:PassRole"]
      Resource  = concat([for role in aws_iam_role.app : role.arn], [for role in aws_iam_role.job : role.arn])
      Condition = { StringEquals = { "iam:PassedToService" = "emr-serverless.amazonaws.com" } }
    },
  ]
}
