"""What readers of both layers see, as views of the lake.

    batch.<view>     the days that the batch layer holds
    serving.<view>   these days, and from the speed layer everything else

Both name the tables of one version and the days that are held of it. So whoever has read such a description
knows where each row comes from: a day is in one table or in the other, never in both and never in none.
Whoever moves readers to another version, or switches a day, rewrites them in the transaction that says so in
the registry.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from headwater import iceberg_views, lake, names
from headwater.iceberg_views import CATALOG
from headwater.registry import connect, releases

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from headwater.registry import Connection
    from headwater.settings import Settings

DAY = timedelta(days=1)


def serve(settings: Settings, registry: Connection, view: str) -> None:
    """Let readers see the live version of a view with the days held of it, in the open transaction.

    A view of tables has no days, and is not in the batch layer.
    """
    # Whoever comes second reads what the first has committed.
    registry.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"serving {view}"])
    live = releases.live_version(registry, view)
    time = releases.artifact(registry, live["artifact"]).manifest[view].get("time")
    if not time:
        return
    speed = lake.catalog(settings).load_table(live["table_name"])
    batch = names.batch_table(view, live["label"])
    for namespace, sql in queries(live["table_name"], batch, time, _held(registry, live["query"])).items():
        iceberg_views.define(settings, registry, f"{namespace}.{view}", sql, like=speed)


def newest_rows(settings: Settings, view: str, most: int) -> pa.Table:
    """Return the newest rows of what `serving.<view>` stands for, without Spark."""
    import pyarrow as pa

    with connect(settings) as registry:
        live = releases.live_version(registry, view)
        time = releases.artifact(registry, live["artifact"]).manifest[view].get("time")
        held = _held(registry, live["query"])
    if not held:
        return lake.newest_rows(settings, view, most)
    tables, inside = lake.catalog(settings), _inside(time, held, "'{}T00:00:00+00:00'")
    closed = tables.load_table(names.batch_table(view, live["label"])).scan(row_filter=inside)
    others = tables.load_table(live["table_name"]).scan(row_filter=f"not ({inside})")
    return lake.newest(pa.concat_tables([closed.to_arrow(), others.to_arrow()]), most)


def queries(speed: str, batch: str, time: str, held: Iterable[date]) -> dict[str, str]:
    """Return what the views of both layers stand for, by the namespace they are in.

    Times are written with their zone: a reader's session may have another.
    """
    inside = _inside(time, held, "TIMESTAMP '{} 00:00:00 UTC'")
    from_speed, from_batch = (f"SELECT * FROM {CATALOG}.{table}" for table in (speed, batch))
    if not inside:  # then there may be no batch table
        return {"batch": f"{from_speed} WHERE false", "serving": from_speed}
    return {
        "batch": f"{from_batch} WHERE {inside}",
        "serving": f"{from_batch} WHERE {inside} UNION ALL {from_speed} WHERE NOT ({inside})",
    }


def _inside(time: str, days: Iterable[date], midnight: str) -> str:
    """Say which rows are of these days, with midnights written as the reader knows them."""
    return " OR ".join(
        f"({time} >= {midnight.format(first)} AND {time} < {midnight.format(after)})"
        for first, after in in_stretches(days)
    )


def in_stretches(days: Iterable[date]) -> list[tuple[date, date]]:
    """Return days as stretches: the first day of each, and the one after its last."""
    stretches: list[tuple[date, date]] = []
    for day in sorted(days):
        if stretches and stretches[-1][1] == day:
            stretches[-1] = (stretches[-1][0], day + DAY)
        else:
            stretches.append((day, day + DAY))
    return stretches


def _held(registry: Connection, query: str) -> list[date]:
    found = registry.execute("SELECT day FROM batch_days WHERE query = %s AND served", [query])
    return [row["day"] for row in found]
