terraform {
  required_version = ">= 1.9"

  # As in `local`: the state of the instance by this name; -backend-config names another place.
  backend "local" {
    path = "../../../.headwater/existing/terraform/terraform.tfstate"
  }
}
