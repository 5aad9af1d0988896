mock_provider "aws" { source = "../mocks" }

variables {
  name    = "example"
  account = { id = "123456789012", region = "eu-central-1" }
}

run "makes_a_key_for_each_purpose_and_rotates_it" {
  assert {
    condition     = keys(output.arns) == ["data", "erasure", "secrets"]
    error_message = "Data, passwords and people have keys of their own."
  }

  assert {
    condition     = alltrue([for key in aws_kms_key.this : key.enable_key_rotation && key.deletion_window_in_days == 30])
    error_message = "Keys rotate, and a deleted one can be brought back for a month."
  }
}

run "gives_no_principal_every_right" {
  assert {
    condition = alltrue(flatten([for key in aws_kms_key.this : [for statement in jsondecode(key.policy).Statement : [
      for action in statement.Action : !strcontains(action, "*")
    ]]]))
    error_message = "Every action is named."
  }

  assert {
    condition     = alltrue(flatten([for key in aws_kms_key.this : [for statement in jsondecode(key.policy).Statement : !contains(values(statement.Principal), "*")]]))
    error_message = "Nobody outside the account gets a key."
  }
}

run "keeps_services_from_the_keys_of_people" {
  assert {
    condition     = length(jsondecode(aws_kms_key.this["erasure"].policy).Statement) == 1 && length(jsondecode(aws_kms_key.this["data"].policy).Statement) == 3
    error_message = "Logs and alarms use the key for data, and no other."
  }
}

run "lets_alarms_through_whoever_raises_them" {
  assert {
    condition     = toset(flatten([for statement in jsondecode(aws_kms_key.this["data"].policy).Statement : statement.Principal.Service if statement.Sid == "Alarms"])) == toset(["cloudwatch.amazonaws.com", "events.amazonaws.com"])
    error_message = "Alarms of measures and of failed apps go to an encrypted topic."
  }

  assert {
    condition     = length(setsubtract(["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo"], one([for statement in jsondecode(aws_kms_key.this["data"].policy).Statement : statement.Action if statement.Sid == "Logs"]))) == 0
    error_message = "CloudWatch Logs may do what it asks for."
  }

  assert {
    condition = one([for statement in jsondecode(aws_kms_key.this["data"].policy).Statement : statement.Condition if statement.Sid == "Alarms"]) == {
      ArnLike = { "kms:EncryptionContext:aws:sns:topicArn" = "arn:aws:sns:eu-central-1:123456789012:example-*" }
    }
    error_message = "Of EventBridge no account is known, so none may be asked for; but which topic it is for."
  }
}

run "rejects_a_platform_that_cannot_forget" {
  command = plan
  variables { purposes = { data = { description = "everything" } } }
  expect_failures = [var.purposes]
}

run "rejects_services_on_the_keys_of_people" {
  command = plan
  variables { purposes = { erasure = { description = "people", services = true } } }
  expect_failures = [var.purposes]
}

run "rejects_an_account_that_is_none" {
  command = plan
  variables { account = { id = "mine", region = "eu-central-1" } }
  expect_failures = [var.account]
}
