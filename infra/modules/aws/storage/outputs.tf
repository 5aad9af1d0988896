################################################################################
# Buckets
################################################################################

output "buckets" {
  description = "Name of each bucket, by purpose."
  value       = { for purpose, bucket in aws_s3_bucket.this : purpose => bucket.bucket }
  depends_on  = [aws_s3_bucket_policy.this, aws_s3_bucket_server_side_encryption_configuration.this, aws_s3_bucket_versioning.this]
}

output "arns" {
  description = "ARN of each bucket, by purpose."
  value       = { for purpose, name in local.names : purpose => "arn:aws:s3:::${name}" }
  depends_on  = [aws_s3_bucket_policy.this]
}

output "urls" {
  description = "Address of each bucket, by purpose."
  value       = { for purpose, bucket in aws_s3_bucket.this : purpose => "s3://${bucket.bucket}" }
  depends_on  = [aws_s3_bucket_policy.this]
}
