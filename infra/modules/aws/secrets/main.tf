################################################################################
# Secrets
################################################################################

locals {
  # MSK takes only secrets whose names begin like this. All have it, so that there is one rule for finding them.
  prefix = "AmazonMSK_${var.name}/"
}

resource "aws_secretsmanager_secret" "this" {
  #checkov:skip=CKV2_AWS_57: rotated by raising `generation`: Kafka's and PostgreSQL's users must change in the same step
  for_each = var.users

  name                    = "${local.prefix}${each.key}"
  description             = "Password of ${each.value}"
  kms_key_id              = var.key
  recovery_window_in_days = 7

  tags = var.tags
}

################################################################################
# Values
################################################################################

# Terraform makes the places, never what is in them: a value that passes through Terraform stays in its state.
resource "terraform_data" "values" {
  triggers_replace = {
    secrets    = { for name, secret in aws_secretsmanager_secret.this : name => secret.arn }
    generation = var.generation
  }

  provisioner "local-exec" {
    command = "${var.python} -m headwater.secrets_manager"
    environment = {
      HEADWATER_SECRETS    = jsonencode({ for name, user in var.users : "${local.prefix}${name}" => user })
      HEADWATER_GENERATION = var.generation
      AWS_DEFAULT_REGION   = var.region # the only name that boto3 reads it by
    }
  }
}
