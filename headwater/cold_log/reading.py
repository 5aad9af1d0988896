"""Looking into the cold log without Spark."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from headwater import lake, names, time_travel
from headwater.cold_log import holding

if TYPE_CHECKING:
    import pyarrow as pa
    from pyiceberg.table import Table

    from headwater.settings import Settings

LEDGER = names.snapshot_property("counts")


def held(settings: Settings) -> dict[str, holding.Holding]:
    """Return what the cold log holds of each topic, by its newest commit; nothing before the first."""
    table = lake.table(settings, holding.TABLE)
    return _ledger(table) if table else {}


def _ledger(table: Table) -> dict[str, holding.Holding]:
    for snapshot in time_travel.line(table):
        summary = snapshot.summary.additional_properties if snapshot.summary else {}
        if LEDGER in summary:  # a commit that only moves rows to other files has none
            return holding.read_ledger(summary[LEDGER])
    return {}


def since(settings: Settings, topic: str, time: datetime) -> dict[int, int]:
    """Return, by partition, the first archived offsets of records received at a time or later."""
    later = f"topic = '{topic}' AND timestamp >= '{time.astimezone(UTC).isoformat()}'"
    rows = _rows(settings, later, ("partition", "offset"))
    first = rows.group_by("partition").aggregate([("offset", "min")]).to_pylist() if rows else []
    return {row["partition"]: row["offset_min"] for row in first}


def received_at(settings: Settings, topic: str, partition: int, start: int, end: int) -> datetime | None:
    """Return when the first archived record of a range was received."""
    inside = f"topic = '{topic}' AND partition = {partition} AND offset >= {start} AND offset < {end}"
    rows = _rows(settings, inside, ("offset", "timestamp"))
    if not rows:
        return None
    first: datetime = rows.sort_by("offset")["timestamp"][0].as_py()
    return first.astimezone(UTC)


def _rows(settings: Settings, where: str, columns: tuple[str, ...]) -> pa.Table | None:
    table = lake.table(settings, holding.TABLE)
    return table.scan(row_filter=where, selected_fields=columns).to_arrow() if table else None
