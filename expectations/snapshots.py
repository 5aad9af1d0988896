"""The history of a table: the snapshots that led to its present, each pinned by its id.

Only the current lineage counts. A snapshot that was rolled back is in the table's metadata, but not in what
readers see.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from spark_apps.histories import BACKFILL, BATCH, COUNTS, HISTORY, OFFSETS, QUERY, rows_at
from spark_apps.session import CATALOG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, Row, SparkSession

    Offsets = Mapping[str, Mapping[str, int]]  # topic -> partition -> next offset


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One commit to a table; `batch` is None when it is not one of the query that keeps it.

    The rows that a version begins with, if they were written by the batch engine, come with the offsets that
    their `history` covers: its query begins there.
    """

    id: int
    parent: int | None
    committed_at: datetime
    operation: str
    query: str | None = None
    batch: int | None = None
    backfill: bool = False
    offsets: Offsets
    counts: Mapping[str, Mapping[str, Mapping[str, int]]]  # topic -> partition -> what -> how many
    history: Offsets | None = None


def lineage(spark: SparkSession, table: str, most: int | None = None) -> list[Snapshot]:
    """Return the snapshots that led to a table's present, oldest first; none if nothing was ever written.

    It ends where older snapshots have been expired: then the oldest one has a parent that is not there. A
    table that has been live for days has tens of thousands; who needs only the newest says how many.
    """
    # The present first: what is committed meanwhile is in the list of snapshots, but not on the way to it.
    current = spark.sql(f"SELECT snapshot_id FROM {CATALOG}.{table}.refs WHERE name = 'main'").first()
    if current is None:
        return []
    committed_at = F.unix_micros("committed_at").alias("committed")
    rows = spark.table(f"{CATALOG}.{table}.snapshots").select("*", committed_at)
    newest = rows.orderBy(F.desc("committed")).limit(most) if most else rows
    snapshots = {row.snapshot_id: _snapshot(row) for row in newest.collect()}
    found: list[Snapshot] = []
    step: int | None = current.snapshot_id
    while step is not None and step in snapshots:
        found.append(snapshots[step])
        step = snapshots[step].parent
    return found[::-1]


def newest_rows(spark: SparkSession, table: str) -> DataFrame:
    """Return the rows of a table as they are now, held at this moment."""
    history = lineage(spark, table, most=1)
    return rows_at(spark, table, history[-1].id) if history else spark.table(f"{CATALOG}.{table}")


def _snapshot(row: Row) -> Snapshot:
    summary: dict[str, Any] = row.summary
    return Snapshot(
        id=row.snapshot_id,
        parent=row.parent_id,
        committed_at=datetime.fromtimestamp(row.committed / 1_000_000, UTC),
        operation=row.operation,
        query=summary.get(QUERY),
        batch=int(summary[BATCH]) if BATCH in summary else None,
        backfill=BACKFILL in summary,
        offsets=json.loads(summary.get(OFFSETS, "{}")),
        counts=json.loads(summary.get(COUNTS, "{}")),
        history=json.loads(summary[HISTORY]) if HISTORY in summary else None,
    )
