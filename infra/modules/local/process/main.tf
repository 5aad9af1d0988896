################################################################################
# Part
################################################################################

locals {
  part = {
    name         = var.name
    home         = var.instance.home
    files        = var.files
    programs     = var.programs
    facts        = var.facts
    unprivileged = var.unprivileged
    deadline     = var.deadline
  }

  # What a change of makes the part start anew: its own record, and the JVM parts it may run on.
  record = {
    part       = jsonencode(local.part)
    python     = var.instance.python
    repository = var.instance.repository
    jvm        = var.instance.jvm
  }
}

resource "terraform_data" "this" {
  input            = local.record
  triggers_replace = local.record

  provisioner "local-exec" {
    interpreter = [self.input.python, "-m", "headwater.local.part"]
    command     = "start"
    working_dir = self.input.repository
    environment = { HEADWATER_PART = self.input.part }
  }

  provisioner "local-exec" {
    when        = destroy
    interpreter = [self.input.python, "-m", "headwater.local.part"]
    command     = "stop"
    working_dir = self.input.repository
    environment = { HEADWATER_PART = self.input.part }
  }
}
