################################################################################
# Brokers
################################################################################

output "bootstrap_servers" {
  description = "Addresses of the brokers for clients."
  value       = local.bootstrap_servers
  depends_on  = [module.process]
}

output "security_protocol" {
  description = "Security protocol that clients speak."
  value       = "SASL_PLAINTEXT"
}

output "sasl_mechanism" {
  description = "How clients prove who they are."
  value       = "SCRAM-SHA-512"
}

output "part" {
  description = "The record given to supervisord, with placeholders where secrets go."
  value       = module.process.part
}
