################################################################################
# Worker
################################################################################

output "url" {
  description = "Address of Connect's REST interface."
  value       = "http://127.0.0.1:${var.port}"
  depends_on  = [module.process]
}

output "capture_password" {
  description = "What the worker looks up the password of the database's role `capture` by."
  value       = "$${file:${local.folder}/secrets.properties:postgres.capture}"
}

output "part" {
  description = "The record given to supervisord, with placeholders where secrets go."
  value       = module.process.part
}
