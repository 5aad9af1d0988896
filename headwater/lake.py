"""Reading views without Spark: the tables of the lake through PyIceberg."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.registry import connect, releases

if TYPE_CHECKING:
    import pyarrow as pa
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.table import Table

    from headwater.settings import Settings


def catalog(settings: Settings) -> SqlCatalog:
    """Open the catalog that Spark writes to."""
    from pyiceberg.catalog.sql import SqlCatalog  # takes a second: only who reads the lake pays for it

    password = settings.secret("postgres.headwater")
    address = f"{settings.postgres_host}:{settings.postgres_port}/headwater"
    return SqlCatalog(
        "lake", uri=f"postgresql+psycopg://headwater:{password}@{address}", warehouse=settings.warehouse
    )


def view_table(settings: Settings, view: str) -> Table:
    """Return the table of a view's live version."""
    with connect(settings) as registry:
        version = releases.live_version(registry, view)
    return catalog(settings).load_table(version["table_name"])


def newest_rows(settings: Settings, view: str, most: int) -> pa.Table:
    """Return the newest rows of a view, by its first column, which says when."""
    rows = view_table(settings, view).scan().to_arrow()
    return rows.sort_by([(rows.column_names[0], "descending")]).slice(0, most)
