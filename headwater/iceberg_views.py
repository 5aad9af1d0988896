"""Views of the lake without Spark: a file that describes the view, and a row of the catalog that names it.

The catalog is a table of the registry's own database. So a view can be given another meaning in the same
transaction as the registry's own rows: both or neither, whatever crashes. Readers find the old file or the
new one. If the transaction does not come to its end, the new file is never looked at.
"""

from __future__ import annotations

import gzip
import json
import time
import uuid
from typing import TYPE_CHECKING, Any

from headwater.errors import Refusal
from headwater.files import files_of

if TYPE_CHECKING:
    from pyiceberg.table import Table

    from headwater.registry import Connection
    from headwater.settings import Settings

    Metadata = dict[str, Any]

CATALOG = "lake"
KEPT = 10  # meanings that a view had before: Iceberg itself keeps as many


def places(registry: Connection, namespace: str) -> dict[str, str]:
    """Return where each view of a namespace is described; nothing before the first app made the catalog."""
    if not is_made(registry):
        return {}
    found = registry.execute(
        "SELECT table_name, metadata_location FROM iceberg_tables "
        "WHERE catalog_name = %s AND table_namespace = %s AND iceberg_type = 'VIEW'",
        [CATALOG, namespace],
    )
    return {row["table_name"]: row["metadata_location"] for row in found}


def is_made(registry: Connection) -> bool:
    """Say whether there is a catalog: the first app makes it."""
    made = registry.execute("SELECT to_regclass('iceberg_tables') IS NOT NULL AS made").fetchone()
    return bool(made and made["made"])


def read(settings: Settings, place: str) -> Metadata:
    """Read how a view is described."""
    with files_of(settings.warehouse).new_input(place).open() as file:
        content = file.read()
    text = gzip.decompress(content) if ".gz." in place else content
    return dict(json.loads(text))


def sql_of(metadata: Metadata) -> str:
    """Return the query that a view stands for."""
    (version,) = [v for v in metadata["versions"] if v["version-id"] == metadata["current-version-id"]]
    return str(version["representations"][0]["sql"])


def define(settings: Settings, registry: Connection, name: str, sql: str, like: Table) -> None:
    """Let a view stand for a query that has the columns of a table, in the registry's open transaction."""
    namespace, view = name.split(".")
    place = places(registry, namespace).get(view)
    before = read(settings, place) if place else _undefined(f"{settings.warehouse}/{namespace}/{view}")
    if place and sql_of(before) == sql:
        return
    after = _with_meaning(before, sql, like)
    if not _enter(registry, namespace, view, place, _write(settings, after)):
        raise Refusal(
            f'the view "{name}" of the lake was changed by somebody else meanwhile',
            hint="Look, then try again.",
        )


def _enter(registry: Connection, namespace: str, view: str, before: str | None, after: str) -> bool:
    """Let the catalog name another description, if it still names the one before."""
    if before is None:
        entered = registry.execute(
            """
            INSERT INTO iceberg_tables
                (catalog_name, table_namespace, table_name, metadata_location, iceberg_type)
            VALUES (%s, %s, %s, %s, 'VIEW') ON CONFLICT DO NOTHING
            """,
            [CATALOG, namespace, view, after],
        )
    else:
        entered = registry.execute(
            """
            UPDATE iceberg_tables SET metadata_location = %s, previous_metadata_location = %s
            WHERE catalog_name = %s AND table_namespace = %s AND table_name = %s AND metadata_location = %s
            """,
            [after, before, CATALOG, namespace, view, before],
        )
    return entered.rowcount == 1


def _write(settings: Settings, metadata: Metadata) -> str:
    number = metadata["current-version-id"]
    place = f"{metadata['location']}/metadata/{number:05d}-{uuid.uuid4()}.metadata.json"
    with files_of(settings.warehouse).new_output(place).create() as file:
        file.write(json.dumps(metadata).encode())
    return place


def _undefined(location: str) -> Metadata:
    """Return the description of a view that has no meaning yet."""
    nothing: Metadata = {"schemas": [], "versions": [], "version-log": [], "properties": {}}
    return {"view-uuid": str(uuid.uuid4()), "format-version": 1, "location": location} | nothing


def _with_meaning(metadata: Metadata, sql: str, like: Table) -> Metadata:
    """Return a view's description with one more meaning; the oldest are let go."""
    now = int(time.time() * 1000)
    number = max((version["version-id"] for version in metadata["versions"]), default=0) + 1
    schema = json.loads(like.schema().model_dump_json())
    schema |= {"schema-id": max((known["schema-id"] for known in metadata["schemas"]), default=-1) + 1}
    version = {
        "version-id": number,
        "timestamp-ms": now,
        "schema-id": schema["schema-id"],
        "summary": {"engine-name": "headwater"},
        "default-namespace": [],
        "representations": [{"type": "sql", "sql": sql, "dialect": "spark"}],
    }
    versions = [*metadata["versions"][-KEPT + 1 :], version]
    ids, schemas = {one["version-id"] for one in versions}, {one["schema-id"] for one in versions}
    log = [*metadata["version-log"], {"timestamp-ms": now, "version-id": number}]
    columns = ",".join(field.name for field in like.schema().fields)
    return metadata | {
        "schemas": [one for one in (*metadata["schemas"], schema) if one["schema-id"] in schemas],
        "versions": versions,
        "current-version-id": number,
        "version-log": [one for one in log if one["version-id"] in ids],
        "properties": metadata["properties"] | {"spark.query-column-names": columns},
    }
