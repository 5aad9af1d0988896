################################################################################
# Environment
################################################################################

output "url" {
  description = "Address of the Airflow UI."
  value       = "https://${aws_mwaa_environment.this.webserver_url}"
}
