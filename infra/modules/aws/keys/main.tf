################################################################################
# Keys
################################################################################

locals {
  root = "arn:aws:iam::${var.account.id}:root"

  # What a key's policy does not let the account do, no role of the account can be let do.
  administration = [
    "kms:CancelKeyDeletion", "kms:CreateAlias", "kms:CreateGrant", "kms:DeleteAlias", "kms:DescribeKey",
    "kms:DisableKey", "kms:EnableKey", "kms:EnableKeyRotation", "kms:GetKeyPolicy", "kms:GetKeyRotationStatus",
    "kms:ListGrants", "kms:ListKeyPolicies", "kms:ListResourceTags", "kms:PutKeyPolicy", "kms:RetireGrant", "kms:RevokeGrant",
    "kms:ScheduleKeyDeletion", "kms:TagResource", "kms:UntagResource", "kms:UpdateAlias", "kms:UpdateKeyDescription",
  ]
  use = ["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncryptFrom", "kms:ReEncryptTo"]

  account = {
    Sid       = "Account"
    Effect    = "Allow"
    Principal = { AWS = local.root }
    Action    = concat(local.administration, local.use)
    Resource  = "*" # in a key's own policy: this key
  }
  # These services act for nobody in particular, so no role can stand for them. EventBridge does not say for whose
  # account it asks; SNS says for which topic.
  alarms = {
    Sid       = "Alarms"
    Effect    = "Allow"
    Principal = { Service = ["cloudwatch.amazonaws.com", "events.amazonaws.com"] }
    Action    = ["kms:Decrypt", "kms:GenerateDataKey"]
    Resource  = "*"
    Condition = { ArnLike = { "kms:EncryptionContext:aws:sns:topicArn" = "arn:aws:sns:${var.account.region}:${var.account.id}:${var.name}-*" } }
  }
  # CloudWatch Logs tells the group it encrypts, not the account.
  logs = {
    Sid       = "Logs"
    Effect    = "Allow"
    Principal = { Service = "logs.${var.account.region}.amazonaws.com" }
    Action    = concat(local.use, ["kms:DescribeKey"])
    Resource  = "*"
    Condition = { ArnLike = { "kms:EncryptionContext:aws:logs:arn" = "arn:aws:logs:${var.account.region}:${var.account.id}:log-group:*" } }
  }
}

resource "aws_kms_key" "this" {
  for_each = var.purposes

  description             = "${var.name}: ${each.value.description}"
  enable_key_rotation     = true
  deletion_window_in_days = 30
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = concat([local.account], [for statement in [local.alarms, local.logs] : statement if each.value.services])
  })

  tags = var.tags
}

resource "aws_kms_alias" "this" {
  for_each = var.purposes

  name          = "alias/${var.name}-${each.key}"
  target_key_id = aws_kms_key.this[each.key].key_id
}
