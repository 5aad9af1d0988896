"""The lake without Spark: reading views, and moving the pointer that readers follow.

A pointer moves in the same transaction as the registry's own rows (`iceberg_views.py`).
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from headwater import files, iceberg_views, names, time_travel
from headwater.errors import Refusal
from headwater.iceberg_views import CATALOG
from headwater.registry import connect

if TYPE_CHECKING:
    from datetime import datetime

    import pyarrow as pa
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.table import Table

    from headwater.registry import Connection
    from headwater.settings import Settings
    from headwater.time_travel import Place

POINTERS = "views"
POINTS_AT = re.compile(rf"SELECT \* FROM {CATALOG}\.(versions\.[a-z0-9_]+)")


def catalog(settings: Settings) -> SqlCatalog:
    """Open the catalog that Spark writes to."""
    from pyiceberg.catalog.sql import SqlCatalog  # takes a second: only who reads the lake pays for it

    password = settings.secret("postgres.headwater")
    address = f"{settings.postgres_host}:{settings.postgres_port}/headwater"
    return SqlCatalog(
        CATALOG,
        uri=f"postgresql+psycopg://headwater:{password}@{address}?sslmode={settings.postgres_sslmode}",
        warehouse=settings.warehouse,
        **files.properties(settings.warehouse),
    )


def table(settings: Settings, name: str) -> Table | None:
    """Return a table; None before anybody has made it."""
    from pyiceberg.exceptions import NoSuchTableError

    with connect(settings) as registry, suppress(NoSuchTableError):
        return catalog(settings).load_table(name) if iceberg_views.is_made(registry) else None
    return None


def view_table(settings: Settings, view: str) -> Table:
    """Return the table that a view's pointer points at."""
    with connect(settings) as registry:
        place = _pointer(registry, view)
    return catalog(settings).load_table(points_at(iceberg_views.read(settings, place)))


def view_tables(settings: Settings) -> dict[str, Table]:
    """Return the tables that views' pointers point at, by view; not of views that nobody keeps any more."""
    from pyiceberg.exceptions import NoSuchTableError

    with connect(settings) as registry:
        pointers = iceberg_views.places(registry, POINTERS)
    lake, found = catalog(settings), {}
    for view, place in pointers.items():
        with suppress(NoSuchTableError):
            found[view] = lake.load_table(points_at(iceberg_views.read(settings, place)))
    return found


def newest_rows(
    settings: Settings, view: str, most: int, *, at: datetime | None = None, place: Place | None = None
) -> pa.Table:
    """Return the newest rows of a view; as they were, if asked for."""
    table = view_table(settings, view)
    return newest(table.scan(snapshot_id=_snapshot(table, at, place)).to_arrow(), most)


def newest(rows: pa.Table, most: int) -> pa.Table:
    """Return the newest of rows, by their first column, which says when; rows of tables by their key."""
    import pyarrow as pa  # with the reader of the lake, which takes a second

    first = rows.schema.field(0)
    order = "descending" if pa.types.is_timestamp(first.type) else "ascending"
    return rows.sort_by([(first.name, order)]).slice(0, most)


def _snapshot(table: Table, at: datetime | None, place: Place | None) -> int | None:
    if at is not None:
        return time_travel.at_time(time_travel.moments(table), at).snapshot
    if place is not None:
        return time_travel.at_offset(time_travel.moments(table), place).snapshot
    return None


def drop_version(settings: Settings, table: str) -> None:
    """Remove the tables of a version, and what it has kept beside: late events, and what it remembers."""
    from pyiceberg.exceptions import NoSuchTableError

    _namespace, name = table.split(".")
    for own in (table, f"batch.{name}"):
        with suppress(NoSuchTableError):  # a build that never came to its first batch, or to its first day
            catalog(settings).purge_table(own)
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
    sql = iceberg_views.sql_of(metadata)
    if (match := POINTS_AT.fullmatch(sql)) is None:
        raise Refusal("this view is no pointer to a version", detail=f"It is: {sql}.")
    return match[1]


def move_pointer(settings: Settings, registry: Connection, view: str, label: str) -> None:
    """Point readers of a view at one of its versions, as part of the registry's open transaction."""
    _pointer(registry, view)
    table = names.table(view, label)
    sql = f"SELECT * FROM {CATALOG}.{table}"
    iceberg_views.define(
        settings, registry, f"{POINTERS}.{view}", sql, like=catalog(settings).load_table(table)
    )


def _pointer(registry: Connection, view: str) -> str:
    """Return where a view's pointer is described, or refuse."""
    known = iceberg_views.places(registry, POINTERS)
    if view not in known:
        raise Refusal(
            f'there is no view "{view}" to read',
            detail=f"Views: {', '.join(sorted(known)) or 'none yet'}.",
            hint="A view can be read once its app has started: `make status`.",
        )
    return known[view]
