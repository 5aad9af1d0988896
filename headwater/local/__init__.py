"""The platform on one machine: Terraform describes it, supervisord keeps it running."""
