mock_provider "aws" { source = "../mocks" }

variables {
  name          = "example-main"
  account       = { id = "123456789012", region = "eu-central-1" }
  warehouse     = "s3://example-warehouse"
  warehouse_arn = "arn:aws:s3:::example-warehouse"
  key           = "arn:aws:kms:eu-central-1:123456789012:key/data"
}

run "makes_a_database_that_athena_can_name" {
  assert {
    condition     = output.databases == { views = "example_main_views" } && aws_glue_catalog_database.this["views"].location_uri == "s3://example-warehouse/views"
    error_message = "Athena's names have no hyphens."
  }
}

run "lets_analysts_read_views_and_nothing_beside_them" {
  assert {
    condition = alltrue(flatten([for statement in jsondecode(aws_iam_policy.reader.policy).Statement : [
      [for action in statement.Action : !strcontains(action, "*") && can(regex("^(glue:Get|s3:GetObject$|kms:Decrypt$)", action))],
      [for resource in statement.Resource : resource != "*" && !endswith(resource, "warehouse/*")],
    ]]))
    error_message = "Readers read: views and versions, not quarantine, late events or state."
  }
}

run "lets_the_publisher_write_here_only" {
  assert {
    condition     = alltrue(flatten([for statement in output.publishing : [for resource in statement.Resource : endswith(resource, ":catalog") || strcontains(resource, "example_main_")]]))
    error_message = "Other databases of the account are none of our business."
  }
}

run "rejects_quarantine_for_readers" {
  command = plan
  variables { namespaces = { quarantine = "bad events" } }
  expect_failures = [var.namespaces]
}

run "rejects_a_warehouse_on_a_disk" {
  command = plan
  variables { warehouse = "/srv/warehouse" }
  expect_failures = [var.warehouse]
}

run "rejects_every_bucket" {
  command = plan
  variables { warehouse_arn = "arn:aws:s3:::*" }
  expect_failures = [var.warehouse_arn]
}
