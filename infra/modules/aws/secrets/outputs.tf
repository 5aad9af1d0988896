################################################################################
# Secrets
################################################################################

output "prefix" {
  description = "What the names of all secrets begin with."
  value       = local.prefix
}

output "arns" {
  description = "ARN of each secret, by name; once it has a value."
  value       = { for name, secret in aws_secretsmanager_secret.this : name => secret.arn }
  depends_on  = [terraform_data.values]
}
