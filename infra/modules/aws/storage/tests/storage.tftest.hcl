mock_provider "aws" { source = "../mocks" }

variables {
  name    = "example"
  account = { id = "123456789012", region = "eu-central-1" }
  key     = "arn:aws:kms:eu-central-1:123456789012:key/data"
}

run "makes_four_closed_and_encrypted_buckets" {
  assert {
    condition     = [for purpose, url in output.urls : url] == [for purpose in ["airflow", "artifacts", "checkpoints", "warehouse"] : "s3://example-${purpose}-123456789012"]
    error_message = "Lake, checkpoints, code and DAGs have buckets of their own."
  }

  assert {
    condition = alltrue([for block in aws_s3_bucket_public_access_block.this : (
      block.block_public_acls && block.block_public_policy && block.ignore_public_acls && block.restrict_public_buckets
    )])
    error_message = "Nothing is public."
  }

  assert {
    condition     = alltrue(flatten([for bucket in aws_s3_bucket_server_side_encryption_configuration.this : [for rule in bucket.rule : rule.apply_server_side_encryption_by_default[0].kms_master_key_id == var.key]]))
    error_message = "Everything is encrypted with our own key."
  }

  assert {
    condition     = alltrue([for bucket in aws_s3_bucket_versioning.this : bucket.versioning_configuration[0].status == "Enabled"]) && length(aws_s3_bucket_versioning.this) == 4
    error_message = "What was overwritten by mistake can be had back."
  }
}

run "answers_only_over_tls" {
  assert {
    condition = alltrue([for bucket in aws_s3_bucket_policy.this : alltrue([
      for statement in jsondecode(bucket.policy).Statement : statement.Effect == "Deny"
    ]) && jsondecode(bucket.policy).Statement[0].Condition.Bool["aws:SecureTransport"] == "false"])
    error_message = "The policies of the buckets deny, they grant nothing; the first thing they deny is plain text."
  }
}

run "forgets_old_versions_within_a_month" {
  assert {
    condition     = { for purpose, bucket in aws_s3_bucket_lifecycle_configuration.this : purpose => bucket.rule[0].noncurrent_version_expiration[0].noncurrent_days } == { airflow = 30, artifacts = 30, checkpoints = 1, warehouse = 7 }
    error_message = "Old versions expire, those of checkpoints first."
  }
}

run "keeps_full_buckets_unless_told_otherwise" {
  assert {
    condition     = alltrue([for bucket in aws_s3_bucket.this : !bucket.force_destroy])
    error_message = "Destroying the environment does not destroy the data."
  }
}

run "rejects_keeping_what_was_erased" {
  command = plan
  variables {
    buckets = {
      warehouse   = { keep_old_days = 365 }
      checkpoints = { keep_old_days = 1 }
      artifacts   = { keep_old_days = 30 }
      airflow     = { keep_old_days = 30 }
    }
  }
  expect_failures = [var.buckets]
}

run "rejects_a_platform_without_checkpoints" {
  command = plan
  variables { buckets = { warehouse = { keep_old_days = 7 } } }
  expect_failures = [var.buckets]
}

run "rejects_a_key_that_is_not_ours" {
  command = plan
  variables { key = "alias/aws/s3" }
  expect_failures = [var.key]
}
