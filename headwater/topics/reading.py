"""Reading a topic as a whole: all that it holds now and that is committed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from kafka import KafkaConsumer, TopicPartition
from kafka.consumer.fetcher import Fetcher

from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka.consumer.fetcher import ConsumerRecord
    from kafka.record.default_records import DefaultRecordBatch

    from headwater.settings import Settings

ROLE = "apps"
STALLED_SECONDS = 60


def read_whole(settings: Settings, topic: str) -> Iterator[ConsumerRecord]:
    """Yield the records of a topic up to where it ends now, each partition in its order."""
    client = settings.kafka_client(ROLE)
    with KafkaConsumer(**client, isolation_level="read_committed", enable_auto_commit=False) as consumer:
        places = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic) or ()]
        consumer.assign(places)
        consumer.seek_to_beginning()
        ends = consumer.end_offsets(places)
        deadline = time.monotonic() + STALLED_SECONDS
        # Not counted, because offsets have gaps: of what was compacted, and of transactions.
        while any(consumer.position(place) < end for place, end in ends.items()):
            if time.monotonic() > deadline:
                raise Refusal(f'topic "{topic}" could not be read to its end', hint="See `make status`.")
            for found in consumer.poll(timeout_ms=500).values():
                deadline = time.monotonic() + STALLED_SECONDS
                yield from found


def _tells_of_an_abort(_records: Fetcher.PartitionRecords, batch: DefaultRecordBatch) -> bool:
    marker = next(batch, None) if batch.is_control_batch else None
    return marker is not None and marker.abort


# kafka-python 3.0 fails at a batch whose marker the cleaner has removed, as it does when nothing is left of a
# transaction. Such a batch tells nothing.
Fetcher.PartitionRecords._contains_abort_marker = _tells_of_an_abort
