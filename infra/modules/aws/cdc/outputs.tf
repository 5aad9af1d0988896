################################################################################
# Connector
################################################################################

output "capture_password" {
  description = "What the worker looks up the password of the database's role `capture` by."
  value       = "$${secretsmanager:${var.secret.name}:password}"
}
