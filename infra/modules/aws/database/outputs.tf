################################################################################
# Server
################################################################################

output "host" {
  description = "Address of the server."
  value       = aws_db_instance.this.address
}

output "port" {
  description = "Port of the server."
  value       = 5432
}

output "sslmode" {
  description = "How clients encrypt, in the words of PostgreSQL: the server refuses those that do not."
  value       = "require"
}

output "admin_secret" {
  description = "ARN of the secret with the first user's password, which RDS changes by itself."
  value       = aws_db_instance.this.master_user_secret[0].secret_arn
}
