variables {
  name       = "example"
  home       = "/srv/example"
  repository = "../../../.."
  python     = "../../../../Makefile" # any file that exists: plans do not run it
}

run "passes_on_what_parts_need" {
  command = plan

  assert {
    condition     = output.instance.home == "/srv/example" && length(output.instance.jvm) == 64
    error_message = "Parts learn the home and a fingerprint of the JVM parts from their instance."
  }
}

run "rejects_a_name_that_is_no_folder" {
  command = plan
  variables { name = "../main" }
  expect_failures = [var.name]
}

run "rejects_a_home_too_long_for_a_socket" {
  command = plan
  variables { home = "/srv/a-folder-with-a-very-long-name/and-another-one-below-it/and-a-third-one-to-be-sure/main" }
  expect_failures = [var.home]
}

run "rejects_a_relative_home" {
  command = plan
  variables { home = "example" }
  expect_failures = [var.home]
}

run "asks_for_the_python_environment" {
  command = plan
  variables { python = "/srv/there/is/no/python" }
  expect_failures = [terraform_data.this]
}
