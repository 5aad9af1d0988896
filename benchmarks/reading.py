"""A log read raw: what the speed of every replay is held against.

The plain consumer is kafka-python, one process and one thread, as somebody would write it who wants to be
fast: large fetches of all partitions, checksums on, records taken as they come and nothing done with them.
Spark's own reading, with nothing done either, is what no view can exceed.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from kafka import KafkaConsumer, TopicPartition

from tests.streams import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kafka.consumer.fetcher import ConsumerRecord
    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from tests.streams import Log

    Places = Mapping[TopicPartition, int]

RECORDS_AT_ONCE = 20_000
FETCH_BYTES = 8 * 1024 * 1024


def places(log: Log) -> dict[TopicPartition, int]:
    """Return all partitions of a log, and where they end."""
    return {
        TopicPartition(topic.name, part): end
        for topic in log.topics.values()
        for part, end in log.ends(topic.name).items()
    }


def read(settings: Settings, start: Places, end: Places) -> Iterator[list[ConsumerRecord]]:
    """Read with a plain consumer, and give out what each fetch of a partition brings."""
    consumer = KafkaConsumer(
        **settings.kafka_client("apps"),
        enable_auto_commit=False,
        max_poll_records=RECORDS_AT_ONCE,
        max_partition_fetch_bytes=FETCH_BYTES,
    )
    consumer.assign(list(end))
    for place, offset in start.items():
        consumer.seek(place, offset)
    while any(consumer.position(place) < offset for place, offset in end.items()):
        yield from consumer.poll(timeout_ms=1000).values()
    consumer.close()


def read_raw(log: Log) -> None:
    """Read the log with a plain consumer, and do nothing with it."""
    end = places(log)
    for _records in read(log.settings, dict.fromkeys(end, 0), end):
        pass


def read_raw_by_spark(spark: SparkSession, log: Log) -> None:
    """Read the log with Spark, and do nothing with it."""
    for topic in log.topics.values():
        whole(spark, log, topic.name).write.format("noop").mode("overwrite").save()


def fastest(seconds: Callable[[], float]) -> float:
    """Return the faster of two turns: the first one finds the log on the disk and the code cold."""
    return min(seconds(), seconds())


def seconds_to_read(log: Log) -> float:
    """Return how long a plain consumer takes."""
    began = time.monotonic()
    read_raw(log)
    return time.monotonic() - began


def seconds_to_read_by_spark(spark: SparkSession, log: Log) -> float:
    """Return how long Spark takes."""
    began = time.monotonic()
    read_raw_by_spark(spark, log)
    return time.monotonic() - began
