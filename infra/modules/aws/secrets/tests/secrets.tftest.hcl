mock_provider "aws" { source = "../mocks" }

variables {
  name   = "example"
  region = "eu-central-1"
  users  = { "kafka.apps" = "apps", "postgres.headwater" = "headwater" }
  key    = "arn:aws:kms:eu-central-1:123456789012:key/secrets"
  python = "echo" # in place of Python: says what it was told, and succeeds
}

run "makes_places_but_no_values" {
  assert {
    condition     = [for secret in aws_secretsmanager_secret.this : secret.name] == ["AmazonMSK_example/kafka.apps", "AmazonMSK_example/postgres.headwater"]
    error_message = "MSK finds secrets by how their names begin."
  }

  assert {
    condition     = alltrue([for secret in aws_secretsmanager_secret.this : secret.kms_key_id == var.key])
    error_message = "MSK refuses secrets that AWS's own key encrypts."
  }

  assert {
    condition     = terraform_data.values.output == null && keys(terraform_data.values.triggers_replace) == ["generation", "secrets"]
    error_message = "What fills the secrets leaves nothing in the state but their names and a number."
  }
}

run "rejects_a_secret_of_nobody" {
  command = plan
  variables { users = {} }
  expect_failures = [var.users]
}

run "rejects_a_secret_without_a_part" {
  command = plan
  variables { users = { password = "apps" } }
  expect_failures = [var.users]
}

run "rejects_a_key_that_is_not_ours" {
  command = plan
  variables { key = "alias/aws/secretsmanager" }
  expect_failures = [var.key]
}

run "rejects_half_a_generation" {
  command = plan
  variables { generation = 1.5 }
  expect_failures = [var.generation]
}

run "rejects_a_region_that_is_none" {
  command = plan
  variables { region = "Frankfurt" }
  expect_failures = [var.region]
}
