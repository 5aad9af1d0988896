"""The lake without Spark: reading views, and moving the pointer that readers follow.

The catalog is a table of the registry's own database. So a pointer can move in the same transaction as the
registry's own rows: both or neither, whatever crashes.
"""

from __future__ import annotations

import gzip
import json
import re
import time
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from headwater import names, time_travel
from headwater.errors import Refusal
from headwater.registry import connect

if TYPE_CHECKING:
    from datetime import datetime

    import pyarrow as pa
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.io import FileIO
    from pyiceberg.table import Table

    from headwater.registry import Connection
    from headwater.settings import Settings
    from headwater.time_travel import Place

CATALOG = "lake"
POINTS_AT = re.compile(rf"SELECT \* FROM {CATALOG}\.(versions\.[a-z0-9_]+)")


def catalog(settings: Settings) -> SqlCatalog:
    """Open the catalog that Spark writes to."""
    from pyiceberg.catalog.sql import SqlCatalog  # takes a second: only who reads the lake pays for it

    password = settings.secret("postgres.headwater")
    address = f"{settings.postgres_host}:{settings.postgres_port}/headwater"
    return SqlCatalog(
        CATALOG, uri=f"postgresql+psycopg://headwater:{password}@{address}", warehouse=settings.warehouse
    )


def table(settings: Settings, name: str) -> Table | None:
    """Return a table; None before anybody has made it."""
    from pyiceberg.exceptions import NoSuchTableError

    with connect(settings) as registry, suppress(NoSuchTableError):
        return catalog(settings).load_table(name) if _is_made(registry) else None
    return None


def view_table(settings: Settings, view: str) -> Table:
    """Return the table that a view's pointer points at."""
    with connect(settings) as registry:
        metadata, _location = _read_pointer(settings, registry, view)
    return catalog(settings).load_table(points_at(metadata))


def view_tables(settings: Settings) -> dict[str, Table]:
    """Return the tables that views' pointers point at, by view; not of views that nobody keeps any more."""
    from pyiceberg.exceptions import NoSuchTableError

    with connect(settings) as registry:
        pointers = {view: _read_pointer(settings, registry, view)[0] for view in _pointers(registry)}
    lake, found = catalog(settings), {}
    for view, metadata in pointers.items():
        with suppress(NoSuchTableError):
            found[view] = lake.load_table(points_at(metadata))
    return found


def newest_rows(
    settings: Settings, view: str, most: int, *, at: datetime | None = None, place: Place | None = None
) -> pa.Table:
    """Return the newest rows of a view, by its first column, which says when; as they were, if asked for."""
    table = view_table(settings, view)
    rows = table.scan(snapshot_id=_snapshot(table, at, place)).to_arrow()
    return rows.sort_by([(rows.column_names[0], "descending")]).slice(0, most)


def _snapshot(table: Table, at: datetime | None, place: Place | None) -> int | None:
    if at is not None:
        return time_travel.at_time(time_travel.moments(table), at).snapshot
    if place is not None:
        return time_travel.at_offset(time_travel.moments(table), place).snapshot
    return None


def drop_version(settings: Settings, table: str) -> None:
    """Remove the table of a version, and what it has kept beside: late events, and what it remembers."""
    from pyiceberg.exceptions import NoSuchTableError

    _namespace, name = table.split(".")
    with suppress(NoSuchTableError):  # a build that never came to its first batch
        catalog(settings).purge_table(table)
    for namespace in ("late", "state"):
        drop_tables(settings, namespace, f"{name}__")


def drop_tables(settings: Settings, namespace: str, beginning: str) -> None:
    """Remove the tables of a namespace whose names begin like this."""
    found = [name for name in tables_in(settings, namespace) if name.startswith(beginning)]
    for name in found:
        catalog(settings).purge_table(f"{namespace}.{name}")


def tables_in(settings: Settings, namespace: str) -> list[str]:
    """Return the names of the tables of a namespace; none before somebody has made it."""
    from pyiceberg.exceptions import NoSuchNamespaceError

    with suppress(NoSuchNamespaceError):
        return [str(found[-1]) for found in catalog(settings).list_tables(namespace)]
    return []


def points_at(metadata: dict[str, Any]) -> str:
    """Return the table that a pointer points at."""
    (version,) = [v for v in metadata["versions"] if v["version-id"] == metadata["current-version-id"]]
    sql = version["representations"][0]["sql"]
    if (match := POINTS_AT.fullmatch(sql)) is None:
        raise Refusal("this view is no pointer to a version", detail=f"It is: {sql}.")
    return match[1]


def move_pointer(settings: Settings, registry: Connection, view: str, label: str) -> None:
    """Point readers of a view at one of its versions, as part of the registry's open transaction.

    A new file describes the view; the catalog's row then names that file. Readers find the old file or the
    new one. If the transaction does not come to its end, the new file is never looked at.
    """
    metadata, location = _read_pointer(settings, registry, view)
    moved = _pointing_at(metadata, catalog(settings).load_table(names.table(view, label)))
    place = f"{metadata['location']}/metadata/{len(moved['version-log']):05d}-{uuid.uuid4()}.metadata.json"
    with _files(settings).new_output(place).create() as file:
        file.write(json.dumps(moved).encode())
    updated = registry.execute(
        """
        UPDATE iceberg_tables SET metadata_location = %s, previous_metadata_location = %s
        WHERE catalog_name = %s AND table_namespace = 'views' AND table_name = %s AND metadata_location = %s
        """,
        [place, location, CATALOG, view, location],
    )
    if updated.rowcount != 1:
        raise Refusal(
            f'the pointer of view "{view}" was moved by somebody else meanwhile', hint="Look, then try again."
        )


def _read_pointer(settings: Settings, registry: Connection, view: str) -> tuple[dict[str, Any], str]:
    known = _pointers(registry)
    if view not in known:
        raise Refusal(
            f'there is no view "{view}" to read',
            detail=f"Views: {', '.join(sorted(known)) or 'none yet'}.",
            hint="A view can be read once its app has started: `make status`.",
        )
    location = known[view]
    with _files(settings).new_input(location).open() as file:
        content = file.read()
    text = gzip.decompress(content) if ".gz." in location else content
    return dict(json.loads(text)), location


def _pointers(registry: Connection) -> dict[str, str]:
    """Return where each view is described; nothing before the first app has made the catalog."""
    if not _is_made(registry):
        return {}
    found = registry.execute(
        "SELECT table_name, metadata_location FROM iceberg_tables "
        "WHERE catalog_name = %s AND table_namespace = 'views'",
        [CATALOG],
    )
    return {row["table_name"]: row["metadata_location"] for row in found}


def _is_made(registry: Connection) -> bool:
    """Say whether there is a catalog: the first app makes it."""
    made = registry.execute("SELECT to_regclass('iceberg_tables') IS NOT NULL AS made").fetchone()
    return bool(made and made["made"])


def _pointing_at(metadata: dict[str, Any], table: Table) -> dict[str, Any]:
    """Return a view's metadata with one more version: all columns of another table."""
    now = int(time.time() * 1000)
    number = max(version["version-id"] for version in metadata["versions"]) + 1
    schema = json.loads(table.schema().model_dump_json())
    schema |= {"schema-id": max(known["schema-id"] for known in metadata["schemas"]) + 1}
    name = ".".join(table.name()[-2:])
    version = {
        "version-id": number,
        "timestamp-ms": now,
        "schema-id": schema["schema-id"],
        "summary": {"engine-name": "headwater"},
        "default-namespace": [],
        "representations": [{"type": "sql", "sql": f"SELECT * FROM {CATALOG}.{name}", "dialect": "spark"}],
    }
    columns = ",".join(field.name for field in table.schema().fields)
    return metadata | {
        "schemas": [*metadata["schemas"], schema],
        "versions": [*metadata["versions"], version],
        "current-version-id": number,
        "version-log": [*metadata["version-log"], {"timestamp-ms": now, "version-id": number}],
        "properties": metadata["properties"] | {"spark.query-column-names": columns},
    }


def _files(settings: Settings) -> FileIO:
    from pyiceberg.io import load_file_io

    return load_file_io({}, settings.warehouse)
