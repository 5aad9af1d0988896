################################################################################
# Part
################################################################################

output "id" {
  description = "Known once the part is ready; what depends on it waits for this."
  value       = terraform_data.this.id
}

output "part" {
  description = "The record given to supervisord, with placeholders where secrets go."
  value       = local.part
}
