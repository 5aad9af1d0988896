terraform {
  required_version = ">= 1.9"

  # The state lives with the instance it describes: here that of the default instance, which is what
  # `terraform init` by hand uses. `make up` names the state of its own instance with -backend-config.
  backend "local" {
    path = "../../../.headwater/main/terraform/terraform.tfstate"
  }
}
