################################################################################
# Server
################################################################################

output "host" {
  description = "Address of the server."
  value       = "127.0.0.1"
}

output "port" {
  description = "Port of the server."
  value       = var.port
  depends_on  = [module.process]
}

output "sslmode" {
  description = "How clients encrypt, in the words of PostgreSQL."
  value       = "disable" # the server listens on loopback only, and has no certificate
}

output "part" {
  description = "The record given to supervisord, with placeholders where secrets go."
  value       = module.process.part
}
