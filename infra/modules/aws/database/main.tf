################################################################################
# Server
################################################################################

locals {
  logs = toset(["postgresql", "upgrade"])
  parameters = {
    "rds.logical_replication"             = { value = "1", restart = true } # capture reads the write-ahead log
    "rds.force_ssl"                       = { value = "1", restart = false }
    "password_encryption"                 = { value = "scram-sha-256", restart = false }
    "rds.accepted_password_auth_method"   = { value = "scram", restart = false }
    "max_slot_wal_keep_size"              = { value = tostring(var.slot_gigabytes * 1024), restart = false } # a forgotten slot must not fill the disk
    "log_connections"                     = { value = "1", restart = false }
    "log_disconnections"                  = { value = "1", restart = false }
    "log_statement"                       = { value = "ddl", restart = false } # never values, which may be a person's; headwater/rds.py sends no password
    "log_min_duration_statement"          = { value = "-1", restart = false }
    "log_parameter_max_length"            = { value = "0", restart = false }
    "log_parameter_max_length_on_error"   = { value = "0", restart = false }
    "idle_in_transaction_session_timeout" = { value = "600000", restart = false }
  }
}

# RDS would make them itself, and keep what is in them for ever.
resource "aws_cloudwatch_log_group" "this" {
  #checkov:skip=CKV_AWS_338: a month is how long forgetting a person may take, and the log of a database may name one
  for_each = local.logs

  name              = "/aws/rds/instance/${var.name}/${each.key}"
  kms_key_id        = var.key
  retention_in_days = var.retention_days

  tags = var.tags
}

resource "aws_db_subnet_group" "this" {
  name       = var.name
  subnet_ids = [for subnet in var.subnets : subnet.id]

  tags = var.tags
}

resource "aws_db_parameter_group" "this" {
  #checkov:skip=CKV2_AWS_30: statements are logged as far as they change the schema; others hold people's data
  name   = "${var.name}-postgres${var.major_version}"
  family = "postgres${var.major_version}"

  dynamic "parameter" {
    for_each = local.parameters

    content {
      name         = parameter.key
      value        = parameter.value.value
      apply_method = parameter.value.restart ? "pending-reboot" : "immediate"
    }
  }

  tags = var.tags

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_db_instance" "this" {
  #checkov:skip=CKV2_AWS_69: rds.force_ssl is set, by a dynamic block that the scanner does not follow; the tests see it
  #checkov:skip=CKV_AWS_161: apps log in with SCRAM, like everywhere else; a role for each, a secret for each
  identifier     = var.name
  engine         = "postgres"
  engine_version = var.major_version
  instance_class = var.instance_class

  # RDS makes the password of the first user, keeps it in Secrets Manager and changes it every week.
  username                      = "headwater_admin"
  manage_master_user_password   = true
  master_user_secret_kms_key_id = var.secrets_key

  allocated_storage     = var.storage_gigabytes
  max_allocated_storage = var.storage_gigabytes * 5
  storage_type          = "gp3"
  storage_encrypted     = true
  kms_key_id            = var.key

  db_subnet_group_name   = aws_db_subnet_group.this.name
  vpc_security_group_ids = [var.security_group]
  publicly_accessible    = false
  parameter_group_name   = aws_db_parameter_group.this.name

  multi_az                   = var.production
  backup_retention_period    = var.backup_days
  copy_tags_to_snapshot      = true
  deletion_protection        = var.production
  skip_final_snapshot        = !var.production
  final_snapshot_identifier  = "${var.name}-final"
  auto_minor_version_upgrade = true

  monitoring_interval                   = 60
  monitoring_role_arn                   = aws_iam_role.monitoring.arn
  performance_insights_enabled          = true
  performance_insights_kms_key_id       = var.key
  performance_insights_retention_period = 7
  enabled_cloudwatch_logs_exports       = local.logs

  tags = var.tags

  depends_on = [aws_cloudwatch_log_group.this]
}

resource "aws_iam_role" "monitoring" {
  name = "${var.name}-database-monitoring"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "monitoring.rds.amazonaws.com" }
      Action    = "sts:AssumeRole"
      Condition = {
        StringEquals = {
          "aws:SourceAccount" = var.account.id
          "aws:SourceArn"     = "arn:aws:rds:${var.account.region}:${var.account.id}:db:${var.name}"
        }
      }
    }]
  })

  tags = var.tags
}

resource "aws_iam_role_policy_attachment" "monitoring" {
  role       = aws_iam_role.monitoring.name
  policy_arn = "arn:aws:iam::aws:policy/service-role/AmazonRDSEnhancedMonitoringRole"
}

################################################################################
# Alarms
################################################################################

locals {
  gigabyte = 1000000000
  alarms = {
    storage = {
      metric      = "FreeStorageSpace"
      comparison  = "LessThanThreshold"
      threshold   = var.storage_gigabytes * local.gigabyte / 5
      description = "The database's disk is nearly full."
    }
    slot = {
      metric      = "OldestReplicationSlotLag"
      comparison  = "GreaterThanThreshold"
      threshold   = var.slot_gigabytes * local.gigabyte / 2
      description = "Nobody reads the write-ahead log: capture is about to lose its place; see docs/runbooks/capture.md."
    }
    processor = {
      metric      = "CPUUtilization"
      comparison  = "GreaterThanThreshold"
      threshold   = 80
      description = "The database is busy."
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "this" {
  for_each = local.alarms

  alarm_name          = "${var.name}-database-${each.key}"
  alarm_description   = each.value.description
  namespace           = "AWS/RDS"
  metric_name         = each.value.metric
  dimensions          = { DBInstanceIdentifier = aws_db_instance.this.identifier }
  statistic           = "Average"
  comparison_operator = each.value.comparison
  threshold           = each.value.threshold
  period              = 300
  evaluation_periods  = 2
  alarm_actions       = [var.alarm_topic]
  ok_actions          = [var.alarm_topic]

  tags = var.tags
}
