"""What can be seen of a table of the lake, for whoever decides what to do about it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater.maintenance import Partition, Snapshot, Table
from spark_apps import histories, internals
from spark_apps.session import CATALOG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from py4j.java_gateway import JavaObject
    from pyspark.sql import SparkSession

NAMESPACES = ("versions", "batch", "state", "late", "quarantine", "cold", "quality")
SMALL = 384 * 1024**2  # bytes: what Iceberg takes for too small, three quarters of what it aims at
BY_TIME = ("day", "hour")


def all_tables(spark: SparkSession) -> Iterator[str]:
    """Return every table of the lake that somebody writes to."""
    for namespace in NAMESPACES:
        for row in spark.sql(f"SHOW TABLES IN {CATALOG}.{namespace}").collect():
            yield f"{namespace}.{row.tableName}"


def look(spark: SparkSession, name: str) -> Table:
    """Look at a table: its files, the lists of them, and its history."""
    table = internals.iceberg_table(spark, f"{CATALOG}.{name}")
    present = table.currentSnapshot()
    by_time = [field for field in table.spec().fields() if field.transform().toString() in BY_TIME]
    return Table(
        name=name,
        location=table.location(),
        time=table.schema().findColumnName(by_time[0].sourceId()) if by_time else None,
        partitions=tuple(_partitions(spark, name, by_time)),
        manifests=present.allManifests(table.io()).size() if present is not None else 0,
        snapshots=tuple(_snapshots(spark, name)),
    )


def _partitions(spark: SparkSession, name: str, by_time: list[JavaObject]) -> Iterator[Partition]:
    files = spark.table(f"{CATALOG}.{name}.files")
    day, rows = F.lit(None).cast("date"), (F.col("content") == 0)
    if by_time:
        place = F.col(f"partition.{by_time[0].name()}")  # a date, or hours since 1970
        hours = by_time[0].transform().toString() == "hour"
        day = F.date_from_unix_date((place / 24).cast("int")) if hours else place
    parts = ["partition"] if "partition" in files.columns else []
    counted = files.groupBy(day.alias("day"), *parts).agg(
        F.count_if(rows & (F.col("file_size_in_bytes") < SMALL)).alias("files"),
        F.count_if(~rows).alias("marks"),
        F.sum(F.when(rows, F.col("record_count")).otherwise(0)).alias("rows"),
    )
    for row in counted.collect():
        yield Partition(day=row.day, files=row.files, marks=row.marks, rows=row["rows"])


def _snapshots(spark: SparkSession, name: str) -> Iterator[Snapshot]:
    found = spark.table(f"{CATALOG}.{name}.snapshots").select(
        F.unix_micros("committed_at").alias("micros"),
        F.col("summary").getItem(histories.QUERY).isNotNull().alias("batch"),
    )
    for row in found.collect():
        yield Snapshot(committed_at=datetime.fromtimestamp(row.micros / 1e6, UTC), batch=row.batch)
