"""Where Spark meets the log: reading it as an endless stream or as a range of offsets, and writing to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

    from headwater.settings import Settings

    Offsets = Mapping[int, int]  # of one topic, by partition

# Bounds one batch of a live app, and with it its memory; catching up runs without it (see stream.py).
LIVE_RECORDS_PER_BATCH = 100_000
# Such a batch of a topic is read by one task, that of all topics by two: to begin a task costs more than to
# read a few thousand records.
READERS, READERS_OF_ALL = 1, 2
# Small enough tasks to spread a backlog over all cores, and to tell how far a long batch has come.
RECORDS_PER_TASK = 250_000


def read_stream(
    spark: SparkSession,
    settings: Settings,
    topic: str,
    *,
    start: Mapping[str, int] | None = None,
    most: int | None = None,
) -> DataFrame:
    """Read a topic for ever, at most `most` records a batch.

    A new checkpoint begins at the offsets of `start`, by default at the log's beginning; an old one goes on
    where it is.
    """
    beginning = json.dumps({topic: dict(start)}) if start else "earliest"
    records = _stream(spark, settings, [topic], beginning, most).load()
    return records.coalesce(READERS) if most else records


def read_all(spark: SparkSession, settings: Settings, topics: Iterable[str], *, most: int) -> DataFrame:
    """Read several topics for ever, all that a record has, at most `most` records a batch.

    A topic that a checkpoint does not know yet is read from its first record on.
    """
    records = _stream(spark, settings, topics, "earliest", most).option("includeHeaders", "true").load()
    return records.coalesce(READERS_OF_ALL)


def _stream(
    spark: SparkSession, settings: Settings, topics: Iterable[str], beginning: str, most: int | None
) -> DataStreamReader:
    reader = spark.readStream.format("kafka").options(**_connection(settings), subscribe=",".join(topics))
    # Never without: a range that the log no longer holds must stop the app, not pass for an empty one.
    reader = reader.options(startingOffsets=beginning, failOnDataLoss="true")
    reader = reader.option("maxRecordsPerPartition", RECORDS_PER_TASK)
    return reader.option("maxOffsetsPerTrigger", most) if most else reader


def read_range(
    spark: SparkSession, settings: Settings, topic: str, start: Offsets, end: Offsets
) -> DataFrame:
    """Read the records of a topic from `start` up to, not including, `end`."""
    reader = spark.read.format("kafka").options(**_connection(settings), subscribe=topic)
    reader = reader.option("maxRecordsPerPartition", RECORDS_PER_TASK)
    return reader.options(startingOffsets=_json(topic, start), endingOffsets=_json(topic, end)).load()


def send(records: DataFrame, settings: Settings, topic: str) -> None:
    """Write records (key and value) to a topic; at least once: a batch that runs again sends again."""
    records.write.format("kafka").options(**_connection(settings), topic=topic).save()


def _json(topic: str, offsets: Offsets) -> str:
    return json.dumps({topic: {str(partition): offset for partition, offset in offsets.items()}})


def _connection(settings: Settings) -> dict[str, str]:
    login = "org.apache.kafka.common.security.scram.ScramLoginModule"
    role = settings.reader
    password = settings.secret(f"kafka.{role}")
    return {
        "kafka.bootstrap.servers": settings.kafka_bootstrap_servers,
        "kafka.security.protocol": settings.kafka_security_protocol,
        "kafka.sasl.mechanism": settings.kafka_sasl_mechanism,
        "kafka.sasl.jaas.config": f'{login} required username="{role}" password="{password}";',
        # What comes out of a transaction that was given up never happened.
        "kafka.isolation.level": "read_committed",
        # Few large fetches: reading is the first bound of a replay's speed.
        "kafka.max.poll.records": "20000",
        "kafka.max.partition.fetch.bytes": str(8 * 1024 * 1024),
        # After each fetch Spark asks how far the partition reaches. The broker answers in order, and by then
        # the client has sent the next fetch, which at the end of the log waits for this long: half a second
        # for each partition of each batch, unless said otherwise.
        "kafka.fetch.max.wait.ms": "10",
    }
