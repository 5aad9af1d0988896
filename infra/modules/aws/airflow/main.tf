################################################################################
# Environment
################################################################################

resource "aws_mwaa_environment" "this" {
  name               = var.name
  airflow_version    = var.airflow_version
  environment_class  = var.environment_class
  min_workers        = 1
  max_workers        = var.max_workers
  execution_role_arn = aws_iam_role.this.arn
  kms_key            = var.key

  webserver_access_mode = "PRIVATE_ONLY"
  source_bucket_arn     = var.bucket.arn
  dag_s3_path           = "dags/"

  # Packages are with the plugins: without these there would be none to install.
  requirements_s3_path             = var.plugins == null ? null : aws_s3_object.requirements.key
  requirements_s3_object_version   = var.plugins == null ? null : aws_s3_object.requirements.version_id
  startup_script_s3_path           = aws_s3_object.startup.key
  startup_script_s3_object_version = aws_s3_object.startup.version_id
  plugins_s3_path                  = var.plugins == null ? null : var.plugins.key
  plugins_s3_object_version        = var.plugins == null ? null : var.plugins.version

  airflow_configuration_options = {
    "core.load_examples"               = "False"
    "core.dags_are_paused_at_creation" = "False"
    "api.expose_config"                = "False"
  }

  network_configuration {
    subnet_ids         = slice([for subnet in var.subnets : subnet.id], 0, 2) # MWAA takes exactly two
    security_group_ids = [var.security_group]
  }

  logging_configuration {
    dag_processing_logs {
      enabled   = true
      log_level = "INFO"
    }
    scheduler_logs {
      enabled   = true
      log_level = "INFO"
    }
    task_logs {
      enabled   = true
      log_level = "INFO"
    }
    webserver_logs {
      enabled   = true
      log_level = "INFO"
    }
    worker_logs {
      enabled   = true
      log_level = "INFO"
    }
  }

  tags = var.tags

  depends_on = [aws_s3_object.dag, aws_iam_role_policy.this, aws_cloudwatch_log_group.this]
}

# MWAA would make them itself, and keep what is in them for ever.
resource "aws_cloudwatch_log_group" "this" {
  #checkov:skip=CKV_AWS_338: what tasks say may name people, who wait a month at most to be forgotten, not a year
  for_each = toset(["DAGProcessing", "Scheduler", "Task", "WebServer", "Worker"])

  name              = "airflow-${var.name}-${each.key}"
  kms_key_id        = var.key
  retention_in_days = var.retention_days

  tags = var.tags
}

################################################################################
# Code
################################################################################

resource "aws_s3_object" "dag" {
  for_each = setunion(fileset(var.dags, "**/*.py"), fileset(var.dags, ".airflowignore"))

  bucket      = var.bucket.name
  key         = "dags/${each.key}"
  source      = "${var.dags}/${each.key}"
  source_hash = filemd5("${var.dags}/${each.key}")
  kms_key_id  = var.key

  tags = var.tags
}

resource "aws_s3_object" "requirements" {
  bucket = var.bucket.name
  key    = "requirements.txt"
  # There is no way to PyPI: wheels come with the plugins, and so do our own packages. MWAA holds what it needs itself
  # (Airflow, Celery, SQLAlchemy) at its own versions, whatever is said here; where the word `--constraint` is not, it
  # holds every package that Airflow was ever tested with at the version of that day.
  content    = "# in place of a --constraint on everything\n--find-links /usr/local/airflow/plugins\n--no-index\n${file(var.requirements)}"
  kms_key_id = var.key

  tags = var.tags
}

resource "aws_s3_object" "startup" {
  bucket     = var.bucket.name
  key        = "startup.sh"
  content    = "export HEADWATER_ENVIRONMENT=${base64encode(var.outputs)}\n"
  kms_key_id = var.key

  tags = var.tags
}

################################################################################
# Role
################################################################################

locals {
  environment = "arn:aws:airflow:${var.account.region}:${var.account.id}:environment/${var.name}"

  own = [
    {
      Sid      = "TellHealth"
      Effect   = "Allow"
      Action   = ["airflow:PublishMetrics"]
      Resource = [local.environment]
    },
    {
      Sid      = "WriteNotes" # what a task has to say, on its page
      Effect   = "Allow"
      Action   = ["airflow:InvokeRestApi"]
      Resource = ["arn:aws:airflow:${var.account.region}:${var.account.id}:role/${var.name}/User"]
    },
    {
      Sid      = "ReadCode"
      Effect   = "Allow"
      Action   = ["s3:GetObject", "s3:GetObjectVersion"]
      Resource = ["${var.bucket.arn}/*"]
    },
    {
      Sid      = "FindCode"
      Effect   = "Allow"
      Action   = ["s3:ListBucket", "s3:GetBucketLocation", "s3:GetBucketPublicAccessBlock", "s3:GetEncryptionConfiguration"]
      Resource = [var.bucket.arn]
    },
    {
      Sid      = "WriteOwnLogs"
      Effect   = "Allow"
      Action   = ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents", "logs:GetLogEvents", "logs:GetLogRecord", "logs:GetLogGroupFields", "logs:GetQueryResults"]
      Resource = ["arn:aws:logs:${var.account.region}:${var.account.id}:log-group:airflow-${var.name}-*"]
    },
    {
      Sid      = "FindLogs"
      Effect   = "Allow"
      Action   = ["logs:DescribeLogGroups"]
      Resource = ["arn:aws:logs:${var.account.region}:${var.account.id}:log-group:*"] # a list of names: AWS does not narrow it
    },
    {
      Sid      = "SeeThatNothingIsPublic"
      Effect   = "Allow"
      Action   = ["s3:GetAccountPublicAccessBlock"]
      Resource = ["*"] # of the account, which AWS gives no other name here
    },
    {
      Sid       = "Measure"
      Effect    = "Allow"
      Action    = ["cloudwatch:PutMetricData"]
      Resource  = ["*"] # measures have no ARN; the name space bounds them
      Condition = { StringEquals = { "cloudwatch:namespace" = "AmazonMWAA" } }
    },
    {
      Sid      = "QueueTasks"
      Effect   = "Allow"
      Action   = ["sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:ReceiveMessage", "sqs:SendMessage"]
      Resource = ["arn:aws:sqs:${var.account.region}:*:airflow-celery-*"] # MWAA's queue lives in an account of AWS
    },
    {
      Sid      = "UseKeys"
      Effect   = "Allow"
      Action   = ["kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey", "kms:Encrypt"]
      Resource = [var.key, var.secrets_key]
    },
    {
      Sid      = "ReadPasswords"
      Effect   = "Allow"
      Action   = ["secretsmanager:GetSecretValue"]
      Resource = values(var.secrets)
    },
    {
      Sid      = "KeepArtifacts"
      Effect   = "Allow"
      Action   = ["s3:GetObject", "s3:PutObject"]
      Resource = ["${var.lake["artifacts"]}/${var.packed}/*"]
    },
    {
      Sid      = "KeepPointers"
      Effect   = "Allow"
      Action   = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]
      Resource = ["${var.lake["warehouse"]}/*", "${var.lake["checkpoints"]}/*"]
    },
    {
      Sid      = "ListLake"
      Effect   = "Allow"
      Action   = ["s3:ListBucket"]
      Resource = [for purpose in ["artifacts", "warehouse", "checkpoints"] : var.lake[purpose]]
    },
  ]
}

resource "aws_iam_role" "this" {
  name = "${var.name}-airflow"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = ["airflow.amazonaws.com", "airflow-env.amazonaws.com"] }
      Action    = "sts:AssumeRole"
      Condition = { StringEquals = { "aws:SourceAccount" = var.account.id } }
    }]
  })

  tags = var.tags
}

resource "aws_iam_role_policy" "this" {
  #checkov:skip=CKV_AWS_355: only cloudwatch:PutMetricData, bounded by its name space, and a look at one setting of the account: neither has a resource
  #checkov:skip=CKV_AWS_290: what is written without a resource is metrics, in one name space: it can change nothing that is kept
  for_each = {
    own      = local.own
    platform = [for statement in var.statements : { for name, value in statement : name => value if value != null }]
  }

  name   = each.key
  role   = aws_iam_role.this.id
  policy = jsonencode({ Version = "2012-10-17", Statement = each.value })
}
