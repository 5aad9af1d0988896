################################################################################
# Instance
################################################################################

output "instance" {
  description = "What each part needs to know of its instance."
  value = {
    name       = var.name
    home       = var.home
    python     = var.python
    repository = var.repository
    jvm        = local.jvm
  }
  # Parts need supervisord and the folders, so they wait for it.
  depends_on = [terraform_data.this]
}
