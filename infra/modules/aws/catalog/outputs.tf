################################################################################
# Databases
################################################################################

output "databases" {
  description = "Name of each database, by namespace."
  value       = { for namespace, database in aws_glue_catalog_database.this : namespace => database.name }
}

################################################################################
# Access
################################################################################

output "reader" {
  description = "ARN of the policy for analysts."
  value       = aws_iam_policy.reader.arn
}

output "publishing" {
  description = "Statements of a policy that lets its role keep the copy up to date."
  value       = local.publishing
}
