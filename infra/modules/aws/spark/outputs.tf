################################################################################
# Application
################################################################################

output "master" {
  description = "What the engine calls the application."
  value       = "emr-serverless://${aws_emrserverless_application.this.id}"
}

output "rest_url" {
  description = "Address for the submission of drivers; wants AWS's signature."
  value       = "https://emr-serverless.${var.account.region}.amazonaws.com"
}

output "ui_url" {
  description = "Page of the application in AWS's console."
  value       = "https://${var.account.region}.console.aws.amazon.com/emr/home?region=${var.account.region}#/serverless-applications/${aws_emrserverless_application.this.id}"
}

################################################################################
# Apps
################################################################################

output "app_properties" {
  description = "Spark properties of every streaming app."
  value       = merge(local.app_properties, var.app_properties)
}

output "roles" {
  description = "Role of each app and job; `replay` is that of apps of one version, `jobs` that of jobs that only look."
  value       = merge({ for app, role in aws_iam_role.app : app => role.arn }, { for job, role in aws_iam_role.job : job => role.arn })
  depends_on  = [aws_iam_role_policy.app, aws_iam_role_policy.job, aws_iam_role_policy_attachment.views]
}

################################################################################
# Submission
################################################################################

output "submission" {
  description = "Statements of a policy that lets its role start, find and end apps and jobs."
  value       = local.submission
}
