################################################################################
# Keys
################################################################################

output "arns" {
  description = "ARN of each key, by purpose."
  value       = { for purpose, key in aws_kms_key.this : purpose => key.arn }
}
