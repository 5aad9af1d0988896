################################################################################
# Master
################################################################################

output "master" {
  description = "Address of the master for drivers."
  value       = local.master
  depends_on  = [module.process]
}

output "rest_url" {
  description = "Address for the submission of drivers; wants a signed token."
  value       = "http://127.0.0.1:${var.ports.rest}"
}

output "ui_url" {
  description = "Address of the master's pages."
  value       = "http://127.0.0.1:${var.ports.ui}"
}

################################################################################
# Apps
################################################################################

output "app_properties" {
  description = "Spark properties of every streaming app: its size and its virtual machines."
  value       = merge(local.app_properties, var.app_properties)
}

################################################################################
# Jobs
################################################################################

output "jobs" {
  description = "Configuration folder of bounded jobs, for SPARK_CONF_DIR."
  value       = "${local.folder}/jobs"
}

################################################################################
# Part
################################################################################

output "part" {
  description = "The record given to supervisord, with placeholders where secrets go."
  value       = module.process.part
}
