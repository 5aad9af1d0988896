"""Looking at single records of the log: when they were received."""

from __future__ import annotations

import time
from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kafka import KafkaConsumer, TopicPartition

from headwater.settings import Replaying

if TYPE_CHECKING:
    from collections.abc import Iterable

    from headwater.settings import Settings

    Place = tuple[str, int, int]  # topic, partition, offset

ROLE = Replaying.reader
PATIENCE_SECONDS = 10
A_BATCH = 64 * 1024  # bytes: one record is enough, and comes with those that were sent with it


def received_at(settings: Settings, places: Iterable[Place]) -> dict[Place, datetime]:
    """Return when the records at these places were received; where there is none any more, the next one.

    A place at the end of its partition, or of which Kafka says nothing in time, is left out.
    """
    left: dict[TopicPartition, list[Place]] = defaultdict(list)
    for place in places:
        left[TopicPartition(*place[:2])].append(place)
    found: dict[Place, datetime] = {}
    if not left:
        return found
    consumer = KafkaConsumer(
        **settings.kafka_client(ROLE), enable_auto_commit=False, max_partition_fetch_bytes=A_BATCH
    )
    try:
        while left:
            found |= _first_of_each(consumer, {partition: rest.pop() for partition, rest in left.items()})
            left = {partition: rest for partition, rest in left.items() if rest}
    finally:
        consumer.close()
    return found


def _first_of_each(consumer: KafkaConsumer, asked: dict[TopicPartition, Place]) -> dict[Place, datetime]:
    """Look at one place of each partition."""
    consumer.assign(list(asked))
    for partition, place in asked.items():
        consumer.resume(partition)
        consumer.seek(partition, place[2])
    found: dict[Place, datetime] = {}
    waiting, deadline = set(asked), time.monotonic() + PATIENCE_SECONDS
    while waiting and time.monotonic() < deadline:
        for partition, records in consumer.poll(timeout_ms=500).items():
            found.setdefault(asked[partition], datetime.fromtimestamp(records[0].timestamp / 1000, UTC))
        # It goes on without a record where there is only the end of a transaction.
        there = {partition for partition in waiting if consumer.position(partition) > asked[partition][2]}
        waiting -= there
        for partition in there:
            consumer.pause(partition)
    return found
