################################################################################
# Logs
################################################################################

output "log_groups" {
  description = "Name and ARN of each log group, by part."
  value       = { for part, group in aws_cloudwatch_log_group.this : part => { name = group.name, arn = group.arn } }
}

################################################################################
# Alarms
################################################################################

output "alarm_topic" {
  description = "ARN of the topic that alarms go to."
  value       = aws_sns_topic.this.arn
}
