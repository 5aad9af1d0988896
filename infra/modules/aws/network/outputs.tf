################################################################################
# Network
################################################################################

output "vpc" {
  description = "Id of the network."
  value       = aws_vpc.this.id
}

output "subnets" {
  description = "The subnets, by zone: their ids, and whether they are open to the internet."
  value       = { for zone, subnet in aws_subnet.this : zone => { id = subnet.id, public = subnet.map_public_ip_on_launch } }
}

################################################################################
# Access
################################################################################

output "security_groups" {
  description = "Id of each part's security group."
  value       = { for part, group in aws_security_group.this : part => group.id }
}

################################################################################
# Endpoints
################################################################################

output "s3_endpoint" {
  description = "Id of the only way to S3."
  value       = aws_vpc_endpoint.s3.id
}
