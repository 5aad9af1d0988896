################################################################################
# Connector
################################################################################

output "capture_password" {
  description = "What the worker looks up the password of the database's role `capture` by."
  value       = "$${secretsmanager:${var.secret.name}:password}"
}

output "connector" {
  description = "ARN of the connector; empty in the first step."
  value       = try(aws_mskconnect_connector.this[0].arn, "")
}

################################################################################
# Role
################################################################################

output "watching" {
  description = "Statements of a policy that lets its role see how the connector is, and start it again."
  value = [{
    Sid      = "WatchCapture"
    Effect   = "Allow"
    Action   = ["kafkaconnect:DescribeConnector", "kafkaconnect:RestartConnector"]
    Resource = ["arn:aws:kafkaconnect:${var.account.region}:${var.account.id}:connector/${var.name}-capture/*"]
  }]
}
