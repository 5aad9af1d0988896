"""Reading back what was answered in a partition: the log is the only memory there is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.errors import KafkaTimeoutError

from headwater import offsets
from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka.consumer.fetcher import ConsumerRecord

    from headwater.settings import Settings
    from headwater.transacting.route import Route
    from headwater.transacting.work import Work

STALLED_SECONDS = 60


def recall(settings: Settings, route: Route, partition: int, work: Work) -> int:
    """Let work learn what was answered in a partition; return how many answers that were."""
    count = 0
    for topic in route.targets:
        for record in committed(settings, route.role, topic.name, partition):
            work.recall(record)
            count += 1
    return count


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
    deadline = time.monotonic() + STALLED_SECONDS
    while consumer.position(place) < end:
        if time.monotonic() > deadline:
            raise KafkaTimeoutError(f"{place} could not be read up to offset {end}")
        for records in consumer.poll(timeout_ms=500).values():
            yield from records
            deadline = time.monotonic() + STALLED_SECONDS
