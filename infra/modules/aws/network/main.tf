################################################################################
# Network
################################################################################

locals {
  # Whoever talks to whom, and on which port. Nothing else gets through.
  flows = {
    spark-to-kafka       = { from = "spark", to = "kafka", port = 9096 }
    airflow-to-kafka     = { from = "airflow", to = "kafka", port = 9096 }
    connect-to-kafka     = { from = "connect", to = "kafka", port = 9098 }
    admin-to-kafka       = { from = "airflow", to = "kafka", port = 9098 }
    spark-to-database    = { from = "spark", to = "database", port = 5432 }
    airflow-to-database  = { from = "airflow", to = "database", port = 5432 }
    connect-to-database  = { from = "connect", to = "database", port = 5432 }
    spark-to-endpoints   = { from = "spark", to = "endpoints", port = 443 }
    airflow-to-endpoints = { from = "airflow", to = "endpoints", port = 443 }
    connect-to-endpoints = { from = "connect", to = "endpoints", port = 443 }
  }
  # Members of these talk among themselves: executors with their driver, Airflow's workers with its database. Its
  # pages are at an address of its own group, at a port below all others.
  clans = {
    spark         = { part = "spark", from = 1024, to = 65535 }
    airflow       = { part = "airflow", from = 1024, to = 65535 }
    airflow-pages = { part = "airflow", from = 443, to = 443 }
    connect       = { part = "connect", from = 1024, to = 65535 }
  }
  parts = toset(["kafka", "database", "spark", "connect", "airflow", "endpoints"])
  # Only these fetch and store objects.
  storing = toset(["spark", "airflow", "connect"])

  # What AWS's services fetch on our behalf, as their documentation names it: layers of images, Amazon Linux, EMR's own.
  fetched_by_services = [for bucket in [
    "prod-${var.account.region}-starport-layer-bucket",
    "al2023-repos-${var.account.region}-de612dc2",
    "aws157-instance-data-0-prod-${var.account.region}",
    "aws157-instance-data-1-prod-${var.account.region}",
  ] : "arn:aws:s3:::${bucket}"]

  subnets = { for number, zone in var.zones : zone => cidrsubnet(var.cidr, 4, number) }
}

resource "aws_vpc" "this" {
  cidr_block           = var.cidr
  enable_dns_support   = true
  enable_dns_hostnames = true

  tags = merge(var.tags, { Name = var.name })
}

# The group that a part gets when nobody has thought of one: it lets nothing in and nothing out.
resource "aws_default_security_group" "this" {
  vpc_id = aws_vpc.this.id

  tags = merge(var.tags, { Name = "${var.name}-default" })
}

resource "aws_subnet" "this" {
  for_each = local.subnets

  vpc_id                  = aws_vpc.this.id
  availability_zone       = each.key
  cidr_block              = each.value
  map_public_ip_on_launch = false

  tags = merge(var.tags, { Name = "${var.name}-${each.key}" })
}

# One table without a way out: there is no gateway to the internet, neither in nor out.
resource "aws_route_table" "this" {
  vpc_id = aws_vpc.this.id

  tags = merge(var.tags, { Name = var.name })
}

resource "aws_route_table_association" "this" {
  for_each = aws_subnet.this

  subnet_id      = each.value.id
  route_table_id = aws_route_table.this.id
}

################################################################################
# Access
################################################################################

resource "aws_security_group" "this" {
  #checkov:skip=CKV2_AWS_5: attached by the modules of the parts, where the scanner does not look
  for_each = local.parts

  name        = "${var.name}-${each.key}"
  description = "Who may talk to ${each.key}, and whom it may talk to"
  vpc_id      = aws_vpc.this.id

  tags = merge(var.tags, { Name = "${var.name}-${each.key}" })
}

resource "aws_vpc_security_group_ingress_rule" "flow" {
  for_each = local.flows

  security_group_id            = aws_security_group.this[each.value.to].id
  referenced_security_group_id = aws_security_group.this[each.value.from].id
  description                  = each.key
  ip_protocol                  = "tcp"
  from_port                    = each.value.port
  to_port                      = each.value.port

  tags = var.tags
}

resource "aws_vpc_security_group_egress_rule" "flow" {
  for_each = local.flows

  security_group_id            = aws_security_group.this[each.value.from].id
  referenced_security_group_id = aws_security_group.this[each.value.to].id
  description                  = each.key
  ip_protocol                  = "tcp"
  from_port                    = each.value.port
  to_port                      = each.value.port

  tags = var.tags
}

resource "aws_vpc_security_group_ingress_rule" "clan" {
  #checkov:skip=CKV_AWS_25: the range of ports is open to members of the same group only, to no address
  for_each = local.clans

  security_group_id            = aws_security_group.this[each.value.part].id
  referenced_security_group_id = aws_security_group.this[each.value.part].id
  description                  = "among themselves"
  ip_protocol                  = "tcp"
  from_port                    = each.value.from
  to_port                      = each.value.to

  tags = var.tags
}

resource "aws_vpc_security_group_egress_rule" "clan" {
  for_each = local.clans

  security_group_id            = aws_security_group.this[each.value.part].id
  referenced_security_group_id = aws_security_group.this[each.value.part].id
  description                  = "among themselves"
  ip_protocol                  = "tcp"
  from_port                    = each.value.from
  to_port                      = each.value.to

  tags = var.tags
}

resource "aws_vpc_security_group_egress_rule" "storage" {
  for_each = local.storing

  security_group_id = aws_security_group.this[each.key].id
  prefix_list_id    = aws_vpc_endpoint.s3.prefix_list_id
  description       = "objects"
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443

  tags = var.tags
}

################################################################################
# Endpoints
################################################################################

resource "aws_vpc_endpoint" "s3" {
  vpc_id            = aws_vpc.this.id
  service_name      = "com.amazonaws.${var.account.region}.s3"
  vpc_endpoint_type = "Gateway"
  route_table_ids   = [aws_route_table.this.id]

  # Whoever gets hold of a part can carry nothing to a bucket of their own. Who may do what in ours, roles say.
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "OwnBuckets"
      Effect    = "Allow"
      Principal = "*"
      Action    = ["s3:ListBucket", "s3:GetBucketLocation", "s3:GetBucketPublicAccessBlock", "s3:GetEncryptionConfiguration"]
      Resource  = sort(var.buckets)
      }, {
      Sid       = "OwnObjects"
      Effect    = "Allow"
      Principal = "*"
      Action    = ["s3:GetObject", "s3:GetObjectVersion", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"]
      Resource  = [for arn in sort(var.buckets) : "${arn}/*"]
      }, {
      Sid       = "WhatServicesFetch"
      Effect    = "Allow"
      Principal = "*"
      Action    = ["s3:GetObject"]
      Resource  = [for arn in local.fetched_by_services : "${arn}/*"]
    }]
  })

  tags = merge(var.tags, { Name = "${var.name}-s3" })
}

resource "aws_vpc_endpoint" "interface" {
  for_each = var.endpoints

  vpc_id              = aws_vpc.this.id
  service_name        = "com.amazonaws.${var.account.region}.${each.key}"
  vpc_endpoint_type   = "Interface"
  private_dns_enabled = true
  subnet_ids          = [for zone in slice(var.zones, 0, var.endpoint_zones) : aws_subnet.this[zone].id]
  security_group_ids  = [aws_security_group.this["endpoints"].id]

  tags = merge(var.tags, { Name = "${var.name}-${each.key}" })
}

################################################################################
# Flow log
################################################################################

resource "aws_flow_log" "this" {
  vpc_id               = aws_vpc.this.id
  traffic_type         = "REJECT" # what got through is said above; what did not is news
  log_destination_type = "cloud-watch-logs"
  log_destination      = var.flow_log_group
  iam_role_arn         = aws_iam_role.flow_log.arn

  tags = var.tags
}

resource "aws_iam_role" "flow_log" {
  name = "${var.name}-flow-log"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "vpc-flow-logs.amazonaws.com" }
      Action    = "sts:AssumeRole"
      Condition = {
        StringEquals = { "aws:SourceAccount" = var.account.id }
        ArnLike      = { "aws:SourceArn" = "arn:aws:ec2:${var.account.region}:${var.account.id}:vpc-flow-log/*" }
      }
    }]
  })

  tags = var.tags
}

resource "aws_iam_role_policy" "flow_log" {
  name = "write"
  role = aws_iam_role.flow_log.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Sid      = "WriteOwnLog"
        Effect   = "Allow"
        Action   = ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogStreams"]
        Resource = ["${var.flow_log_group}:*"] # its streams
      },
      {
        Sid      = "FindLog" # before it writes; without this right the flow log is in error, and says so nowhere else
        Effect   = "Allow"
        Action   = ["logs:DescribeLogGroups"]
        Resource = ["arn:aws:logs:${var.account.region}:${var.account.id}:log-group:*"] # a list of names: AWS does not narrow it
      },
    ]
  })
}
