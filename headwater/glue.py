"""Glue: a copy of the catalog, for those who read with AWS's own tools.

The catalog that counts is in the registry's database, where a promotion moves everything in one transaction.
The copy shows each view as it was when it was last published: old or new, never a mix: one call moves it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3

from headwater import lake

if TYPE_CHECKING:
    from pyiceberg.table import Table

    from headwater.settings import Settings

# Readers take the schema from the table's own metadata; these are for those who look at it in Glue.
TYPES = {
    "long": "bigint",
    "timestamptz": "timestamp",
    "boolean": "boolean",
    "double": "double",
    "date": "date",
}


def publish(settings: Settings) -> list[str]:
    """Let the copy show what the views show now; return those that it did not."""
    glue, database = boto3.client("glue"), f"headwater_{settings.instance.replace('-', '_')}_views"
    return [view for view, table in lake.view_tables(settings).items() if show(glue, database, view, table)]


def show(glue: Any, database: str, view: str, table: Table) -> bool:
    """Let one view of the copy show a table; say whether it did not yet."""
    wanted = {
        "Name": view,
        "TableType": "EXTERNAL_TABLE",
        "Parameters": {"table_type": "ICEBERG", "metadata_location": table.metadata_location},
        "StorageDescriptor": {
            "Location": table.location(),
            "Columns": [
                {"Name": field.name, "Type": TYPES.get(str(field.field_type), "string")}
                for field in table.schema().fields
            ],
        },
    }
    try:
        shown = glue.get_table(DatabaseName=database, Name=view)["Table"]
    except glue.exceptions.EntityNotFoundException:
        glue.create_table(DatabaseName=database, TableInput=wanted)
        return True
    if shown["Parameters"] == wanted["Parameters"]:
        return False
    glue.update_table(DatabaseName=database, TableInput=wanted)
    return True
