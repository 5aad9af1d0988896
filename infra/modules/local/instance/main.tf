################################################################################
# Instance: folders, secrets, JVM parts, supervisord
################################################################################

locals {
  record = {
    home       = var.home
    python     = var.python
    repository = var.repository
  }
  jvm = sha256(join("", [
    filesha256("${var.repository}/infra/jvm/ivy.xml"),
    filesha256("${var.repository}/infra/jvm/checksums.txt"),
  ]))
}

resource "terraform_data" "this" {
  input            = local.record
  triggers_replace = local.record

  lifecycle {
    precondition {
      condition     = fileexists(var.python)
      error_message = "The Python environment does not exist yet. Run `make setup` first."
    }
  }

  provisioner "local-exec" {
    interpreter = [self.input.python, "-m", "headwater.local.instance"]
    command     = "start"
    working_dir = self.input.repository
    environment = { HEADWATER_HOME = self.input.home }
  }

  provisioner "local-exec" {
    when        = destroy
    interpreter = [self.input.python, "-m", "headwater.local.instance"]
    command     = "stop"
    working_dir = self.input.repository
    environment = { HEADWATER_HOME = self.input.home }
  }
}
