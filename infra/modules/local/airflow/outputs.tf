################################################################################
# Components
################################################################################

output "url" {
  description = "Address of the UI and the API."
  value       = local.url
  depends_on  = [module.process]
}

output "part" {
  description = "The record given to supervisord, with placeholders where secrets go."
  value       = module.process.part
}
