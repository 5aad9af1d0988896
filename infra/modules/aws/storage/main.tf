################################################################################
# Buckets
################################################################################

locals {
  # Names are taken world-wide: the account makes ours different from everybody's.
  names = { for purpose in keys(var.buckets) : purpose => "${var.name}-${purpose}-${var.account.id}" }
}

resource "aws_s3_bucket" "this" {
  #checkov:skip=CKV_AWS_18: a log of who read what would keep names of objects longer than the objects; who must know turns on data events of CloudTrail, which nothing here does
  #checkov:skip=CKV_AWS_144: another region is a decision with a price; docs/deploy-aws.md says how to take it
  #checkov:skip=CKV2_AWS_62: nothing listens to objects: the log is Kafka
  for_each = var.buckets

  bucket        = local.names[each.key]
  force_destroy = var.disposable

  tags = var.tags
}

resource "aws_s3_bucket_versioning" "this" {
  for_each = var.buckets

  bucket = aws_s3_bucket.this[each.key].id
  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "this" {
  for_each = var.buckets

  bucket = aws_s3_bucket.this[each.key].id
  rule {
    bucket_key_enabled = true
    apply_server_side_encryption_by_default {
      sse_algorithm     = "aws:kms"
      kms_master_key_id = var.key
    }
  }
}

resource "aws_s3_bucket_ownership_controls" "this" {
  for_each = var.buckets

  bucket = aws_s3_bucket.this[each.key].id
  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_public_access_block" "this" {
  for_each = var.buckets

  bucket                  = aws_s3_bucket.this[each.key].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

################################################################################
# Access
################################################################################

resource "aws_s3_bucket_policy" "this" {
  for_each = aws_s3_bucket.this

  bucket = each.value.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "OnlyOverTls"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:*"
      Resource  = [each.value.arn, "${each.value.arn}/*"]
      Condition = { Bool = { "aws:SecureTransport" = "false" } }
      }, {
      Sid       = "OnlyNewTls"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:*"
      Resource  = [each.value.arn, "${each.value.arn}/*"]
      Condition = { NumericLessThan = { "s3:TlsVersion" = "1.2" } }
    }]
  })

  depends_on = [aws_s3_bucket_public_access_block.this]
}

################################################################################
# Lifecycle
################################################################################

# An object that was deleted to forget somebody must not live on as its own old version.
resource "aws_s3_bucket_lifecycle_configuration" "this" {
  for_each = var.buckets

  bucket = aws_s3_bucket.this[each.key].id
  rule {
    id     = "forget"
    status = "Enabled"
    filter {}
    noncurrent_version_expiration {
      noncurrent_days = each.value.keep_old_days
    }
    expiration {
      expired_object_delete_marker = true
    }
    abort_incomplete_multipart_upload {
      days_after_initiation = 1
    }
  }

  depends_on = [aws_s3_bucket_versioning.this]
}
