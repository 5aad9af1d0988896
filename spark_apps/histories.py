"""What the history of a table tells: which batches it has, how far they have read, who has heard of them.

Each commit says what it is in the properties of its snapshot (`sinks.py`). So rows, and what is known of
them, are of the same moment, and no second memory can disagree.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater import names
from headwater.errors import Refusal
from spark_apps import internals
from spark_apps.session import CATALOG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from py4j.java_gateway import JavaObject
    from pyspark.sql import DataFrame, SparkSession

QUERY, BATCH, OFFSETS, COUNTS = map(names.snapshot_property, ("query", "batch", "offsets", "counts"))
TOLD = names.snapshot_property("told")
DAY, FINGERPRINT = map(names.snapshot_property, ("day", "fingerprint"))  # of the batch layer
BACKFILL = names.snapshot_property("backfill")
HISTORY = names.snapshot_property("history")
# Iceberg's word for a commit that moves rows to other files.
REWRITE = "replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """A table's present."""

    snapshot: int
    batch: int
    offsets: dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A batch that is in the history of a table."""

    number: int
    told: bool  # whether the output topic has heard of all rows there were then


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A moment of a table of which the output topic has heard."""

    table: str
    snapshot: int
    at: int  # microseconds since 1970


def newest(spark: SparkSession, table: str) -> Newest | None:
    """Return a table's present: its snapshot, and the newest batch in it; None before the first."""
    present = None
    for snapshot in _snapshots(spark, table):
        present = present or snapshot.snapshotId()
        summary = snapshot.summary()
        if summary.get(BATCH) is not None:
            offsets = json.loads(summary.get(OFFSETS))
            return Newest(snapshot=present, batch=int(summary.get(BATCH)), offsets=offsets)
    return None


def last_batch(spark: SparkSession, table: str, query: str) -> Batch | None:
    """Return the newest batch of a query in a table's history; None when there is none of anybody's.

    History of another query means that the checkpoint was lost or replaced. Going on would write every row of
    the log a second time, so it is refused.
    """
    for snapshot in _snapshots(spark, table):
        summary = snapshot.summary()
        if summary.get(QUERY) == query:
            return Batch(number=int(summary.get(BATCH)), told=summary.get(TOLD) == "true")
        if summary.get(QUERY) is not None:
            raise Refusal(
                f'table "{table}" was written from another checkpoint',
                detail=f"Its newest rows are from query {summary.get(QUERY)}, this is {query}.",
                hint="Replay the view into a new version instead.",
            )
    return None


def has_batch(spark: SparkSession, table: str, query: str, batch: int) -> bool:
    """Say whether a batch of a query has been written to a table, by a try before."""
    last = last_batch(spark, table, query)
    return last is not None and last.number >= batch


def last_told(spark: SparkSession, tables: Iterable[str]) -> Told | None:
    """Return the last moment of any of these tables of which their output topic has heard, if it is kept."""
    found = [_last_told(spark, table) for table in tables if spark.catalog.tableExists(f"{CATALOG}.{table}")]
    return max((told for told in found if told), key=lambda told: told.at, default=None)


def _last_told(spark: SparkSession, table: str) -> Told | None:
    row = spark.sql(
        f"SELECT snapshot_id, unix_micros(committed_at) AS at FROM {CATALOG}.{table}.snapshots "
        f"WHERE summary['{TOLD}'] = 'true' ORDER BY committed_at DESC LIMIT 1"
    ).first()
    return Told(table=table, snapshot=row.snapshot_id, at=row.at) if row else None


def has_begun(spark: SparkSession, table: str) -> bool:
    """Say whether a table has rows to begin with, or a batch."""
    summaries = (snapshot.summary() for snapshot in _snapshots(spark, table))
    return any(summary.get(HISTORY) or summary.get(BATCH) for summary in summaries)


def may_be_met(spark: SparkSession, table: str) -> bool:
    """Say whether the newest commit is of the other writers there may be: a backfill, or maintenance."""
    present = next(_snapshots(spark, table), None)
    return present is not None and (present.summary().get(BACKFILL) is not None or _only_moves(present))


def rows_at(spark: SparkSession, table: str, snapshot: int) -> DataFrame:
    """Return the rows of a table as they were at a snapshot, whatever is written meanwhile."""
    return spark.sql(f"SELECT * FROM {CATALOG}.{table} VERSION AS OF {snapshot}")


def rows_before(spark: SparkSession, table: str, query: str, batch: int) -> DataFrame:
    """Return the rows of a table as they were before a batch, whether that has been committed or not."""
    for snapshot in _snapshots(spark, table):
        summary = snapshot.summary()
        if (summary.get(QUERY), summary.get(BATCH)) != (query, str(batch)) and not _only_moves(snapshot):
            return rows_at(spark, table, snapshot.snapshotId())
    return spark.table(f"{CATALOG}.{table}").limit(0)


def told_of_backfill(spark: SparkSession, table: str, replay: str, since: datetime) -> str | None:
    """Return what the backfill of a replay has told with its commit; None if it has not committed since."""
    for snapshot in _snapshots(spark, table):
        if snapshot.timestampMillis() < since.timestamp() * 1000:
            return None
        told = snapshot.summary().get(BACKFILL)
        if told is not None and json.loads(told)["replay"] == replay:
            return str(told)
    return None


def told_of_backfills(spark: SparkSession, table: str) -> list[str]:
    """Return what backfills have told with their commits, as far as the history goes back, newest first."""
    told = (snapshot.summary().get(BACKFILL) for snapshot in _snapshots(spark, table))
    return [str(found) for found in told if found is not None]


def batches(spark: SparkSession, table: str) -> list[dict[str, Any]]:
    """Return what the commits of a table say that carry a batch, oldest first."""
    snapshots = spark.sql(f"SELECT summary FROM {CATALOG}.{table}.snapshots ORDER BY committed_at").collect()
    return [row.summary for row in snapshots if BATCH in row.summary]


def _snapshots(spark: SparkSession, table: str) -> Iterator[JavaObject]:
    return internals.snapshots(spark, f"{CATALOG}.{table}")


def _only_moves(snapshot: JavaObject) -> bool:
    """Say whether a commit has put rows into other files and changed none of them: maintenance."""
    return bool(snapshot.operation() == REWRITE)
