################################################################################
# Databases
################################################################################

# The catalog that counts is a table of the registry: a promotion moves the pointer and the registry's rows in one
# transaction. This is a copy for those who read with AWS's own tools.
resource "aws_glue_catalog_database" "this" {
  for_each = var.namespaces

  name         = "${replace(var.name, "-", "_")}_${each.key}"
  description  = "Headwater: ${each.value}"
  location_uri = "${var.warehouse}/${each.key}"

  tags = var.tags
}

################################################################################
# Access
################################################################################

locals {
  databases = [for database in aws_glue_catalog_database.this : "arn:aws:glue:${var.account.region}:${var.account.id}:database/${database.name}"]
  tables    = [for database in aws_glue_catalog_database.this : "arn:aws:glue:${var.account.region}:${var.account.id}:table/${database.name}/*"]
  catalog   = "arn:aws:glue:${var.account.region}:${var.account.id}:catalog"

  publishing = [{
    Sid      = "PublishViews"
    Effect   = "Allow"
    Action   = ["glue:GetDatabase", "glue:GetTable", "glue:CreateTable", "glue:UpdateTable", "glue:DeleteTable"]
    Resource = concat([local.catalog], local.databases, local.tables)
  }]
  reading = [
    {
      Sid      = "FindViews"
      Effect   = "Allow"
      Action   = ["glue:GetDatabase", "glue:GetDatabases", "glue:GetTable", "glue:GetTables"]
      Resource = concat([local.catalog], local.databases, local.tables)
    },
    {
      Sid      = "ReadViews"
      Effect   = "Allow"
      Action   = ["s3:GetObject"]
      Resource = ["${var.warehouse_arn}/versions/*", "${var.warehouse_arn}/views/*"]
    },
    {
      Sid      = "Decrypt"
      Effect   = "Allow"
      Action   = ["kms:Decrypt"]
      Resource = [var.key]
    },
  ]
}

resource "aws_iam_policy" "reader" {
  name        = "${var.name}-reader"
  description = "Reads the views, and nothing beside them"
  policy      = jsonencode({ Version = "2012-10-17", Statement = local.reading })

  tags = var.tags
}
