################################################################################
# Logs
################################################################################

resource "aws_cloudwatch_log_group" "this" {
  #checkov:skip=CKV_AWS_338: logs may name people, who wait a month at most to be forgotten, not a year
  for_each = var.log_groups

  name              = "/${var.name}/${each.key}"
  kms_key_id        = var.key
  retention_in_days = var.retention_days

  tags = var.tags
}

################################################################################
# Alarms
################################################################################

resource "aws_sns_topic" "this" {
  name              = "${var.name}-alarms"
  kms_master_key_id = var.key

  tags = var.tags
}

resource "aws_sns_topic_policy" "this" {
  arn = aws_sns_topic.this.arn
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Sid       = "Alarms"
        Effect    = "Allow"
        Principal = { Service = "cloudwatch.amazonaws.com" }
        Action    = "sns:Publish"
        Resource  = aws_sns_topic.this.arn
        Condition = { StringEquals = { "aws:SourceAccount" = var.account.id } }
      },
      {
        Sid       = "Events" # EventBridge does not say for whom it publishes: under a condition it never could
        Effect    = "Allow"
        Principal = { Service = "events.amazonaws.com" }
        Action    = "sns:Publish"
        Resource  = aws_sns_topic.this.arn
      },
    ]
  })
}

resource "aws_sns_topic_subscription" "this" {
  for_each = var.emails

  topic_arn = aws_sns_topic.this.arn
  protocol  = "email"
  endpoint  = each.key
}

################################################################################
# Lag and freshness
################################################################################

locals {
  # Every streaming app publishes its offsets as a consumer group; MSK measures how far behind each is. A replay
  # makes a new group and a release ends one, so the alarm asks for the worst of all there are.
  behind = {
    lag       = { metric = "MaxOffsetLag", threshold = var.most_records, unit = "records" }
    freshness = { metric = "EstimatedMaxTimeLag", threshold = var.most_seconds, unit = "seconds" }
  }
}

resource "aws_cloudwatch_metric_alarm" "behind" {
  for_each = local.behind

  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = "An app is more than ${each.value.threshold} ${each.value.unit} behind; see docs/runbooks/lag.md."
  comparison_operator = "GreaterThanThreshold"
  threshold           = each.value.threshold
  evaluation_periods  = 5
  treat_missing_data  = "breaching" # if no group says anything, no app runs
  alarm_actions       = [aws_sns_topic.this.arn]
  ok_actions          = [aws_sns_topic.this.arn]

  metric_query {
    id          = "worst"
    period      = 60
    return_data = true
    expression  = "SELECT MAX(${each.value.metric}) FROM SCHEMA(\"AWS/Kafka\", \"Cluster Name\", \"Consumer Group\", \"Topic\") WHERE \"Cluster Name\" = '${var.name}'"
  }

  tags = var.tags
}

################################################################################
# Failed apps
################################################################################

resource "aws_cloudwatch_event_rule" "failed" {
  name        = "${var.name}-failed-apps"
  description = "A driver failed, and EMR has given up starting it again"
  event_pattern = jsonencode({
    source      = ["aws.emr-serverless"]
    detail-type = ["EMR Serverless Job Run State Change"]
    detail      = { state = ["FAILED"], applicationId = [var.application] }
  })

  tags = var.tags
}

resource "aws_cloudwatch_event_target" "failed" {
  rule = aws_cloudwatch_event_rule.failed.name
  arn  = aws_sns_topic.this.arn
}
