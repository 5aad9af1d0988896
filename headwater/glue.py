"""Glue: a copy of the catalog, for those who read with AWS's own tools.

The catalog that counts is in the registry's database, where a promotion moves everything in one transaction.
The copy shows each view as it was when it was last published: old or new, never a mix: one call moves it. It
names a file that describes the table, and a table keeps its last few such files only; so a copy that is not
renewed for some minutes leads nowhere, and it is renewed every minute and after each promotion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater import alarms, lake
from headwater.errors import Refusal

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
SUBJECT, KIND = "glue", "copy outdated"
RUNBOOK = "docs/deploy-aws.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outdated:
    """The copy could not be renewed."""

    why: str

    @property
    def message(self) -> str:
        """What its alarm says."""
        return f"Glue shows views as they were: {self.why}"

    def __str__(self) -> str:
        return f"{self.message}; see {RUNBOOK}"


def look_after(settings: Settings) -> list[Outdated]:
    """Renew the copy where there is one; raise an alarm when that fails, and clear it when that is over."""
    if not settings.glue_database:
        return []
    from botocore.exceptions import BotoCoreError, ClientError  # only where there is AWS

    try:
        publish(settings)
    except (BotoCoreError, ClientError) as error:
        outdated = Outdated(why=str(error))
        alarms.raise_alarm(settings, SUBJECT, KIND, outdated.message, RUNBOOK)
        return [outdated]
    alarms.clear(settings, SUBJECT, KIND)
    return []


def publish(settings: Settings) -> list[str]:
    """Let the copy show what the views show now; return those that it did not."""
    if not settings.glue_database:
        raise Refusal(
            "this environment has no copy of its catalog",
            hint="It is for AWS's own tools; see docs/deploy-aws.md.",
        )
    import boto3  # takes half a second: only who publishes on AWS pays for it

    glue, tables = boto3.client("glue"), lake.view_tables(settings)
    return [view for view, table in tables.items() if show(glue, settings.glue_database, view, table)]


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
    # Glue would keep each of the past, a hundred thousand at most: at one a minute, those of ten weeks.
    glue.update_table(DatabaseName=database, TableInput=wanted, SkipArchive=True)
    return True
