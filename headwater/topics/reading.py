"""Reading topics as a whole: all that they hold now and that is committed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.consumer.fetcher import Fetcher
from kafka.errors import KafkaTimeoutError

from headwater import offsets
from headwater.brokers import admin_client
from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka.consumer.fetcher import ConsumerRecord
    from kafka.record.default_records import DefaultRecordBatch

    from headwater.settings import Settings

READER = "apps"
STALLED_SECONDS = 60


def read_whole(settings: Settings, topic: str) -> Iterator[ConsumerRecord]:
    """Yield the committed records of a topic up to where it ends now, partition by partition."""
    with admin_client(settings, READER) as client:
        partitions = offsets.partitions(client, topic)
    for partition in partitions:
        yield from committed(settings, READER, topic, partition)


def committed(settings: Settings, role: str, topic: str, partition: int) -> Iterator[ConsumerRecord]:
    """Return all committed records of a partition, up to the last one that anyone has written.

    That end, and not the last one known to be committed: behind a transaction that is still open there may be
    more. Whoever wants nothing to come after it has fenced off the writers before.
    """
    end = _end(settings, role, topic, partition)
    consumer = KafkaConsumer(
        **settings.kafka_client(role),
        group_id=None,
        isolation_level="read_committed",
        max_poll_records=5_000,
    )
    try:
        place = TopicPartition(topic, partition)
        consumer.assign([place])
        consumer.seek_to_beginning()
        yield from _read_up_to(end, consumer, place)
    finally:
        consumer.close()


def _end(settings: Settings, role: str, topic: str, partition: int) -> int:
    with KafkaAdminClient(**settings.kafka_client(role)) as client:
        ends = offsets.ends(client, topic)
    if partition not in ends:
        raise Refusal(
            f'topic "{topic}" has no partition {partition}',
            detail="Records are answered in the partition of the same number.",
            hint="Give all topics of a service the same number, then `headwater topics apply --grow`.",
        )
    return ends[partition]


def _read_up_to(end: int, consumer: KafkaConsumer, place: TopicPartition) -> Iterator[ConsumerRecord]:
    """Read on until the end; records are not counted, because offsets have gaps of what was compacted."""
    deadline = time.monotonic() + STALLED_SECONDS
    while consumer.position(place) < end:
        if time.monotonic() > deadline:
            raise KafkaTimeoutError(f"{place} could not be read up to offset {end}")
        for records in consumer.poll(timeout_ms=500).values():
            yield from records
            deadline = time.monotonic() + STALLED_SECONDS


def _tells_of_an_abort(_records: Fetcher.PartitionRecords, batch: DefaultRecordBatch) -> bool:
    marker = next(batch, None) if batch.is_control_batch else None
    return marker is not None and marker.abort


# kafka-python 3.0 fails at a batch whose marker the cleaner has removed, as it does when nothing is left of a
# transaction. Such a batch tells nothing.
Fetcher.PartitionRecords._contains_abort_marker = _tells_of_an_abort
