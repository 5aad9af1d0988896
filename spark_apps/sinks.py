"""The one place that writes tables, exactly once.

Every batch is one Iceberg commit that carries its own name (query and batch id), the offsets it reaches and
the ledger of its records. A batch that is run again after a crash finds its name in the table's history
(`histories.py`) and is skipped. So rows, offsets and counts are always those of the same moment, and the
table alone tells what it has seen.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from headwater.errors import Refusal
from headwater.replay.between import Between
from spark_apps import histories, internals, resolving
from spark_apps.histories import (
    BACKFILL,
    BATCH,
    COUNTS,
    DAY,
    FINGERPRINT,
    HISTORY,
    OFFSETS,
    QUERY,
    TOLD,
    Batch,
    Newest,
)
from spark_apps.session import CATALOG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

    from spark_apps.view import View

    Offsets = Mapping[str, Mapping[str, int]]  # by topic and partition
    Bounds = dict[str, Any]  # of the rows of a batch: how many, and the first and the last time of them

TABLE_PROPERTIES = {
    "format-version": "2",
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "20",
    "write.distribution-mode": "none",
    "write.merge.distribution-mode": "none",
    "write.spark.fanout.enabled": "true",
    # A second writer on the same rows is a mistake that must be seen, not merged.
    "write.merge.isolation-level": "serializable",
}
# What Iceberg says when somebody else has changed the same rows meanwhile.
CONFLICT = "org.apache.iceberg.exceptions.ValidationException"
# And when others were quicker each time that it tried.
BUSY = "org.apache.iceberg.exceptions.CommitFailedException"
ATTEMPTS = 3
EPOCH = datetime.fromtimestamp(0, UTC)
# Where rows are many and seldom change, a change marks the old row instead of rewriting the file it is in.
MARKED_ROWS = {f"write.{change}.mode": "merge-on-read" for change in ("merge", "update", "delete")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """What a batch writes into the history of its table."""

    query: str
    batch: int
    offsets: dict[str, dict[str, int]]
    counts: str
    told: bool | None = None  # whether the output topic has heard of all rows; None: there is no such topic
    after: Batch | None = None  # the newest one that the table has

    def properties(self) -> dict[str, str]:
        """Return it as the properties of a snapshot."""
        said = {} if self.told is None else {TOLD: json.dumps(self.told)}
        return said | {
            QUERY: self.query,
            BATCH: str(self.batch),
            OFFSETS: json.dumps(self.offsets),
            COUNTS: self.counts,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What the rows that a version begins with write into the history of its table: they are no batch.

    The ledger covers the records before its stream begins. The rows may need more: those who read on until
    they were final.
    """

    covers: Offsets
    counts: str
    read: Offsets

    def properties(self) -> dict[str, str]:
        """Return it as the properties of a snapshot."""
        return {
            HISTORY: json.dumps(self.covers),
            COUNTS: self.counts,
            OFFSETS: json.dumps(self.read),
        }


def create_table(
    spark: SparkSession, table: str, schema: str, partitioned_by: str = "", *, mark_rows: bool = False
) -> None:
    """Create a table unless it is there. Never replaced: its history is what makes retries safe."""
    partitioned = f"PARTITIONED BY ({partitioned_by}) " if partitioned_by else ""
    chosen = TABLE_PROPERTIES | (MARKED_ROWS if mark_rows else {})
    properties = ", ".join(f"'{key}'='{value}'" for key, value in chosen.items())
    spark.sql(
        f"CREATE TABLE IF NOT EXISTS {CATALOG}.{table} ({schema}) USING iceberg "
        f"{partitioned}TBLPROPERTIES ({properties})"
    )
    declared = spark.createDataFrame([], schema).schema.simpleString()
    actual = spark.table(f"{CATALOG}.{table}").schema.simpleString()
    if actual != declared:
        raise Refusal(
            f'table "{table}" does not have the declared columns',
            detail=f"Declared {declared}, found {actual}.",
            hint="Raise the view's version: another shape is another table.",
        )


def publish(spark: SparkSession, view: View) -> None:
    """Point readers at a view's first version; later versions are promoted, not published."""
    spark.sql(
        f"CREATE VIEW IF NOT EXISTS {CATALOG}.views.{view.name} AS SELECT * FROM {CATALOG}.{view.table}"
    )


def append(rows: DataFrame, table: str, commit: Commit) -> None:
    """Add rows to a table."""
    options = {f"snapshot-property.{key}": value for key, value in commit.properties().items()}
    rows.writeTo(f"{CATALOG}.{table}").options(**options).append()


def begin(rows: DataFrame, table: str, history: History) -> None:
    """Write the rows that a table begins with, in one commit; it fails if somebody has begun meanwhile."""
    options = {f"snapshot-property.{key}": value for key, value in history.properties().items()}
    # In place of everything, and of nothing that came since: without a snapshot to look from, Iceberg takes
    # every file that was ever added for a conflict.
    options["isolation-level"] = "serializable"
    rows.writeTo(f"{CATALOG}.{table}").options(**options).overwrite(F.lit(True))


def keep(rows: DataFrame, table: str) -> None:
    """Add rows that come from no log, such as results of checks: no batch of theirs can run again."""
    rows.writeTo(f"{CATALOG}.{table}").append()


def copy(rows: DataFrame, path: str) -> None:
    """Write rows to files of their own; the last of them, `_SUCCESS`, says that all are there."""
    rows.write.mode("overwrite").parquet(path)


def upsert(rows: DataFrame, view: View, commit: Commit, bounds: Bounds) -> None:
    """Replace rows that have the same keys (or are less preferred), remove what is gone, add the others."""
    if bounds["found"] == 0:
        record(rows.sparkSession, view.table, commit)
        return
    resolving.preferred(rows, view).createOrReplaceTempView("changes")
    _merge(
        rows.sparkSession,
        view.table,
        f"{resolving.same_key(view)} {_within(view)}",
        _what_to_do(rows, view),
        commit,
        bounds,
    )


def replace_older(rows: DataFrame, table: str, key: str, unit: str, commit: Commit) -> None:
    """Keep the newest row of each key; one that the table has a later row for is no news.

    A row that is gone still says of which unit it was, also if its farewell does not.
    """
    rows.createOrReplaceTempView("changes")
    newest = {name: f"changes.{name}" for name in rows.columns} | {"lsn": "greatest(kept.lsn, changes.lsn)"}
    if unit in newest:
        newest[unit] = f"if(changes.gone, coalesce(changes.{unit}, kept.{unit}), changes.{unit})"
    newer = ", ".join(f"{name} = {value}" for name, value in newest.items())
    # In one partition the log's order counts, unless the database's own says that it is told again.
    later = (
        "CASE WHEN changes.partition = kept.partition THEN coalesce(changes.lsn >= kept.lsn, true) "
        "ELSE (changes.changed_at, changes.partition) > (kept.changed_at, kept.partition) END"
    )
    what = f"WHEN MATCHED AND {later} THEN UPDATE SET {newer} WHEN NOT MATCHED THEN INSERT *"
    _merge(rows.sparkSession, table, f"kept.{key} = changes.{key}", what, commit)


def _merge(
    session: SparkSession,  # the query's own: its settings and temporary views are nobody else's
    table: str,
    same: str,
    what: str,
    commit: Commit,
    arguments: Bounds | None = None,
) -> None:
    for key, value in commit.properties().items():
        session.conf.set(f"spark.sql.iceberg.snapshot-property.{key}", value)
    merge = f"MERGE INTO {CATALOG}.{table} AS kept USING changes ON {same} {what}"
    for attempt in range(1, ATTEMPTS + 1):
        try:
            session.sql(merge, args=arguments)
            return
        except (Py4JJavaError, PySparkException) as error:
            if attempt == ATTEMPTS or CONFLICT not in str(error) or not histories.may_be_met(session, table):
                raise


def _within(view: View) -> str:
    """Keep a merge from opening files of days that its batch does not touch."""
    return f"AND kept.{view.time} BETWEEN :first AND :last" if view.time else ""


def _what_to_do(rows: DataFrame, view: View) -> str:
    may_be_gone = resolving.GONE in rows.columns
    removed = f"WHEN MATCHED AND changes.{resolving.GONE} THEN DELETE" if may_be_gone else ""
    matched = f"WHEN MATCHED AND {resolving.better(view)}" if view.prefers else "WHEN MATCHED"
    unmatched = f"WHEN NOT MATCHED AND NOT changes.{resolving.GONE}" if may_be_gone else "WHEN NOT MATCHED"
    return f"{removed} {matched} THEN UPDATE SET * {unmatched} THEN INSERT *"


def replace_between(rows: DataFrame, view: View, starts: Between, seen: Newest, told: str) -> bool:
    """Put rows in the place of those whose time is between, in one commit; say whether it came about.

    Whole days are written anew, with the other rows as they were at the snapshot that was seen. Whoever has
    written to one of these days since then is not undone: nothing is committed, and the caller looks again.
    What is `told` of it travels with the commit.
    """
    days, inside = between(view.time, starts.whole_days), between(view.time, starts)
    there = histories.rows_at(rows.sparkSession, view.table, seen.snapshot)
    options = {
        "validate-from-snapshot-id": str(seen.snapshot),
        "isolation-level": "serializable",
        f"snapshot-property.{BACKFILL}": told,
    }
    replaced = there.where(days & ~inside).unionByName(rows.where(inside))
    try:
        replaced.writeTo(f"{CATALOG}.{view.table}").options(**options).overwrite(days)
    except (Py4JJavaError, PySparkException) as error:
        if CONFLICT not in str(error) and BUSY not in str(error):
            raise
        return False
    return True


def between(time: str, stretch: Between) -> Column:
    """Say whether a time lies in a stretch."""
    return (F.col(time) >= F.lit(stretch.first)) & (F.col(time) < F.lit(stretch.after))


def replace_day(
    rows: DataFrame, view: View, day: datetime, offsets: dict[str, dict[str, int]], fingerprint: str
) -> None:
    """Put rows in the place of those that the batch table of a version has of a day, in one commit."""
    said = {DAY: day.date().isoformat(), OFFSETS: json.dumps(offsets), FINGERPRINT: fingerprint}
    options = {f"snapshot-property.{key}": value for key, value in said.items()}
    of_the_day = between(view.time, Between(first=day, after=day + timedelta(days=1)))
    rows.writeTo(f"{CATALOG}.{view.batch_table}").options(**options).overwrite(of_the_day)


def forget(spark: SparkSession, table: str, time: str, before: int) -> None:
    """Remove the rows of whole hours before a moment (in microseconds): no file has to be rewritten."""
    hour = f"date_trunc('HOUR', timestamp_micros({before}))"
    spark.sql(f"DELETE FROM {CATALOG}.{table} WHERE {time} < {hour}")


def record(spark: SparkSession, table: str, commit: Commit) -> None:
    """Commit offsets and counts of a batch that has no rows to write."""
    update = internals.iceberg_table(spark, f"{CATALOG}.{table}").newFastAppend()
    for key, value in commit.properties().items():
        update.set(key, value)
    update.commit()


def bounds_of(rows: DataFrame, time: str = "") -> Bounds:
    """Return how many rows are `found`, and bounds of their times, if they have one: `first` and `last`.

    In whole hours: a time goes into a plan as it is, and Spark compiles every plan that it has not seen yet.
    """
    first, last = f"date_trunc('HOUR', min({time}))", f"date_trunc('HOUR', max({time})) + INTERVAL 1 HOUR"
    times = {"first": first, "last": last} if time else {}
    # As numbers, because Spark's Python times are in the machine's zone, where an hour may come twice.
    micros = [f"unix_micros({of}) AS {name}" for name, of in times.items()]
    found = rows.selectExpr("count(1) AS found", *micros).first()
    if found is None or found["found"] == 0:
        return {"found": 0}
    return found.asDict() | {name: EPOCH + timedelta(microseconds=found[name]) for name in times}
