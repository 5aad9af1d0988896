################################################################################
# Cluster
################################################################################

output "arn" {
  description = "ARN of the cluster."
  value       = aws_msk_cluster.this.arn
}

output "bootstrap_servers" {
  description = "Addresses of the brokers for users with a password."
  value       = aws_msk_cluster.this.bootstrap_brokers_sasl_scram
  depends_on  = [aws_msk_scram_secret_association.this]
}

output "bootstrap_servers_for_roles" {
  description = "Addresses of the brokers for AWS roles: MSK Connect and the first administrator."
  value       = aws_msk_cluster.this.bootstrap_brokers_sasl_iam
}

output "security_protocol" {
  description = "Security protocol that clients speak."
  value       = "SASL_SSL"
}

output "sasl_mechanism" {
  description = "How clients prove who they are."
  value       = "SCRAM-SHA-512"
}
