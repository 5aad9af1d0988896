mock_provider "aws" { source = "../mocks" }

variables {
  name           = "example"
  account        = { id = "123456789012", region = "eu-central-1" }
  buckets        = ["arn:aws:s3:::example-warehouse", "arn:aws:s3:::example-artifacts"]
  zones          = ["eu-central-1a", "eu-central-1b", "eu-central-1c"]
  flow_log_group = "arn:aws:logs:eu-central-1:123456789012:log-group:/example/network"
}

run "makes_private_subnets_only" {
  assert {
    condition     = length(output.subnets) == 3 && alltrue([for subnet in output.subnets : !subnet.public])
    error_message = "One private subnet per zone."
  }

  assert {
    condition     = length(toset([for subnet in aws_subnet.this : subnet.cidr_block])) == 3
    error_message = "Subnets share no address."
  }
}

run "lets_in_only_parts_it_knows_and_only_on_their_ports" {
  assert {
    condition     = alltrue([for rule in aws_vpc_security_group_ingress_rule.flow : rule.from_port == rule.to_port && rule.cidr_ipv4 == null && rule.cidr_ipv6 == null])
    error_message = "Rules name groups and one port each, never addresses."
  }

  assert {
    condition     = toset([for rule in aws_vpc_security_group_ingress_rule.flow : rule.from_port]) == toset([443, 5432, 9096, 9098])
    error_message = "Endpoints, PostgreSQL, and Kafka over TLS: nothing else listens."
  }

  assert {
    condition     = keys(aws_vpc_security_group_egress_rule.flow) == keys(aws_vpc_security_group_ingress_rule.flow)
    error_message = "What may come in must be able to go out, and nothing else may."
  }
}

run "lets_airflow_reach_its_own_pages_and_its_own_database" {
  assert {
    condition = alltrue([for port in [443, 5432] : anytrue([
      for name, rule in aws_vpc_security_group_ingress_rule.clan : startswith(name, "airflow") && rule.from_port <= port && port <= rule.to_port
    ])])
    error_message = "MWAA puts both behind the group that we give it, and wants that group to let itself in."
  }

  assert {
    condition     = keys(aws_vpc_security_group_egress_rule.clan) == keys(aws_vpc_security_group_ingress_rule.clan) && alltrue([for rule in aws_vpc_security_group_ingress_rule.clan : rule.cidr_ipv4 == null && rule.cidr_ipv6 == null])
    error_message = "Whoever may come in may go out, and no address may do either."
  }
}

run "reaches_aws_without_the_internet" {
  assert {
    condition     = aws_vpc_endpoint.s3.vpc_endpoint_type == "Gateway" && alltrue([for endpoint in aws_vpc_endpoint.interface : endpoint.private_dns_enabled && length(endpoint.subnet_ids) == 2])
    error_message = "S3 has a gateway; every other service an address in two zones, under its usual name."
  }
}

run "reaches_no_bucket_of_somebody_else" {
  assert {
    condition = alltrue(flatten([for statement in jsondecode(aws_vpc_endpoint.s3.policy).Statement : [
      [for action in statement.Action : !strcontains(action, "*")],
      [for resource in statement.Resource : anytrue([for arn in concat(tolist(var.buckets), local.fetched_by_services) : resource == arn || resource == "${arn}/*"])],
    ]]))
    error_message = "Every action is named, and every bucket: ours, and those that AWS's services fetch from."
  }

  assert {
    condition     = alltrue([for statement in jsondecode(aws_vpc_endpoint.s3.policy).Statement : statement.Action == ["s3:GetObject"] if anytrue([for resource in statement.Resource : strcontains(resource, "eu-central-1")])])
    error_message = "What is AWS's is only read."
  }
}

run "trusts_the_flow_log_of_this_account_alone" {
  assert {
    condition     = jsondecode(aws_iam_role.flow_log.assume_role_policy).Statement[0].Condition.StringEquals["aws:SourceAccount"] == var.account.id
    error_message = "AWS's service acts for this account, or not at all."
  }
}

run "rejects_everybodys_buckets" {
  command = plan
  variables { buckets = ["arn:aws:s3:::*"] }
  expect_failures = [var.buckets]
}

run "rejects_a_region_that_is_none" {
  command = plan
  variables { account = { id = "123456789012", region = "Frankfurt" } }
  expect_failures = [var.account]
}

run "tells_of_refused_connections" {
  assert {
    condition     = aws_flow_log.this.traffic_type == "REJECT" && jsondecode(aws_iam_role_policy.flow_log.policy).Statement[0].Resource == ["${var.flow_log_group}:*"]
    error_message = "Refused connections are logged, in their own group and nowhere else."
  }

  assert {
    condition     = one([for statement in jsondecode(aws_iam_role_policy.flow_log.policy).Statement : statement.Action if statement.Sid == "FindLog"]) == ["logs:DescribeLogGroups"]
    error_message = "AWS looks for the group before it writes there."
  }
}

run "rejects_public_addresses" {
  command = plan
  variables { cidr = "52.0.0.0/16" }
  expect_failures = [var.cidr]
}

run "rejects_a_network_too_small_for_spark" {
  command = plan
  variables { cidr = "10.64.0.0/24" }
  expect_failures = [var.cidr]
}

run "rejects_a_single_zone" {
  command = plan
  variables {
    zones          = ["eu-central-1a"]
    endpoint_zones = 1
  }
  expect_failures = [var.zones]
}

run "rejects_the_same_zone_twice" {
  command = plan
  variables { zones = ["eu-central-1a", "eu-central-1a"] }
  expect_failures = [var.zones]
}

run "rejects_a_network_that_cannot_read_its_secrets" {
  command = plan
  variables { endpoints = ["logs", "kms"] }
  expect_failures = [var.endpoints]
}

run "rejects_a_network_that_cannot_renew_the_copy_of_the_catalog" {
  command = plan
  variables { endpoints = ["airflow.env", "emr-serverless", "kafkaconnect", "kms", "secretsmanager"] }
  expect_failures = [var.endpoints]
}

run "rejects_more_endpoint_zones_than_there_are" {
  command = plan
  variables { endpoint_zones = 4 }
  expect_failures = [var.endpoint_zones]
}

run "rejects_a_log_that_is_none" {
  command = plan
  variables { flow_log_group = "/example/network" }
  expect_failures = [var.flow_log_group]
}
