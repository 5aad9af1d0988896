"""The whole log, of which Kafka holds the newest part: cold log and Kafka, stitched at an exact offset.

    asked                            stitch                            end
      | · · · · · cold log · · · · · · | · · · · · · · Kafka · · · · · |

Each partition has its own stitch: the first offset that Kafka still holds; of a compacted topic, if what was
superseded counts as well, the first that is not archived. What neither holds is refused.

A stream cannot read the cold log and go over to Kafka later: Spark knows its sources by their number, for the
life of a checkpoint. So the cold part is *thawed*: copied once into files beside the checkpoint, which are a
second source of the same query. The first batch reads both, as a whole, like any other backlog; the files are
deleted when it is done, and the source stays, with nothing more to say.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater import cold_log
from headwater.brokers import admin_client
from headwater.cold_log import holding
from headwater.errors import Refusal
from headwater.replay.starting import partitions_of
from spark_apps import internals, kafka_log, sinks
from spark_apps.session import CATALOG

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from headwater.replay.starting import Stretch
    from headwater.settings import Settings
    from spark_apps.jobs import Start
    from spark_apps.kafka_log import Offsets
    from spark_apps.view import View

    Reader = Callable[[SparkSession, Settings, str, Offsets, Offsets], DataFrame]

SCHEMA = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP"
COLUMNS = ("key", "value", "topic", "partition", "offset", "timestamp")


def read_range(
    spark: SparkSession,
    settings: Settings,
    topic: str,
    start: Offsets,
    end: Offsets,
    *,
    superseded: bool = False,
) -> DataFrame:
    """Read the records of a topic from `start` up to, not including, `end`, wherever they are."""
    stretches = _held(settings, topic, start, end, superseded=superseded)
    _refuse_gaps(topic, stretches)
    stitch = {stretch.partition: stretch.stitch for stretch in stretches}
    warm = kafka_log.read_range(spark, settings, topic, stitch, end).select(*COLUMNS)
    if stitch == dict(start):
        return warm
    return warm.unionByName(_cold(spark, topic, start, stitch))


def log_of(view: View) -> Reader:
    """Read the log as a view does: what was true at the time of an event may have been superseded."""

    def read(spark: SparkSession, settings: Settings, topic: str, start: Offsets, end: Offsets) -> DataFrame:
        past = bool(view.inputs) and topic in view.tables
        return read_range(spark, settings, topic, start, end, superseded=past)

    return read


def read_archived(
    spark: SparkSession, settings: Settings, topic: str, start: Offsets, end: Offsets
) -> DataFrame:
    """Read the same out of the cold log alone, also what Kafka still has."""
    archived = [replace(held, beginning=held.end) for held in _held(settings, topic, start, end)]
    _refuse_gaps(topic, archived)
    return _cold(spark, topic, start, end)


def read_stream(
    spark: SparkSession,
    settings: Settings,
    topic: str,
    checkpoint: str,
    start: Start | None,
    most: int | None,
) -> DataFrame:
    """Read a topic for ever, from where a version starts; its first batch has the part of the cold log."""
    offsets = start.offsets.get(topic) if start else None
    if start is None or topic not in start.stitches:
        return kafka_log.read_stream(spark, settings, topic, start=offsets, most=most)
    stitch = start.stitches[topic]
    thawed = f"{checkpoint}/thawed/{topic}"
    if not internals.exists(spark, f"{thawed}/_SUCCESS"):
        sinks.copy(_cold(spark, topic, _numbered(start.offsets[topic]), _numbered(stitch)), thawed)
    cold = spark.readStream.schema(SCHEMA).option("cleanSource", "delete").parquet(thawed)
    warm = kafka_log.read_stream(spark, settings, topic, start=stitch, most=most)
    return warm.select(*COLUMNS).unionByName(cold)


def _held(
    settings: Settings, topic: str, start: Offsets, end: Offsets, *, superseded: bool = False
) -> list[Stretch]:
    ledger = cold_log.held(settings)
    with admin_client(settings, settings.reader) as client:
        return [
            replace(held, asked=start[held.partition], end=end[held.partition])
            for held in partitions_of(client, topic, ledger, superseded=superseded)
        ]


def _refuse_gaps(topic: str, stretches: Sequence[Stretch]) -> None:
    if refusals := [stretch.refusal for stretch in stretches if stretch.refusal]:
        raise Refusal(f'topic "{topic}" cannot be read like this', detail=" ".join(refusals))


def _cold(spark: SparkSession, topic: str, start: Offsets, end: Offsets) -> DataFrame:
    """Return the records of ranges out of the cold log."""
    inside = [_between(partition, offset, end[partition]) for partition, offset in start.items()]
    rows = spark.table(f"{CATALOG}.{holding.TABLE}").where(F.col("topic") == topic)
    return rows.where(reduce(lambda one, other: one | other, inside)).select(*COLUMNS)


def _between(partition: int, start: int, end: int) -> Column:
    return (F.col("partition") == partition) & (F.col("offset") >= start) & (F.col("offset") < end)


def _numbered(offsets: Mapping[str, int]) -> dict[int, int]:
    return {int(partition): offset for partition, offset in offsets.items()}
