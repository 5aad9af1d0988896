################################################################################
# Worker
################################################################################

output "url" {
  description = "Address of Connect's REST interface."
  value       = "http://127.0.0.1:${var.port}"
  depends_on  = [module.process]
}

output "part" {
  description = "The record given to supervisord, with placeholders where secrets go."
  value       = module.process.part
}
