"""Live: records are sent when they are due, with kafka-python's producer.

Not all of them to the log: what is a row of the shop's database is written there, as the shop would, and
comes into the log by the capture alone.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from kafka import KafkaProducer

from headwater.errors import Refusal
from headwater.shop import database
from headwater.shop.database import rows
from headwater.topics import load_topics

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

    from kafka.producer.future import FutureRecordMetadata

    from headwater.settings import Settings
    from headwater.shop.counts import Counts
    from headwater.shop.progress import Progress
    from headwater.shop.record import Record

# The producer has no bound of its own: against a broker that is away its memory would grow for ever.
MOST_UNANSWERED = 10_000
ANSWER_SECONDS = 150
# A broker that was restarted is found again at once; the default waits for up to half a minute.
RECONNECT_MS = 1_000


def send_live(
    settings: Settings, records: Iterator[Record], counts: Counts, progress: Progress, stop: threading.Event
) -> None:
    """Send until the records end or `stop` is set; whatever was taken is then delivered."""
    producer = KafkaProducer(
        **settings.kafka_client("simulator"),
        client_id="headwater-simulator",
        acks="all",
        enable_idempotence=True,
        linger_ms=20,
        reconnect_backoff_max_ms=RECONNECT_MS,
    )
    try:
        captured = {name: topic for name, topic in load_topics().items() if topic.table}
        unanswered: deque[FutureRecordMetadata] = deque()
        with database.connect(settings) as shop:
            for record in _on_time(records, progress, stop):
                if record.topic not in captured:
                    unanswered.append(_send(producer, record))
                elif not record.flaw:  # what is broken is no row
                    rows.write(shop, captured[record.topic], record.key, record.value)
                counts.add(record)
                _settle(unanswered, MOST_UNANSWERED)
        producer.flush(timeout=ANSWER_SECONDS)
        _settle(unanswered, 0)
    finally:
        producer.close(timeout=ANSWER_SECONDS)


def _on_time(records: Iterator[Record], progress: Progress, stop: threading.Event) -> Iterator[Record]:
    for record in records:
        while (early := record.received_at / 1000 - time.time()) > 0:
            progress.tick()
            if stop.wait(min(early, 1.0)):
                return
        if stop.is_set():
            return
        progress.tick()
        yield record


def _send(producer: KafkaProducer, record: Record) -> FutureRecordMetadata:
    if record.partition is not None and record.partition not in producer.partitions_for(record.topic):
        raise Refusal(
            f'topic "{record.topic}" has no partition {record.partition}', hint="They are counted from 0."
        )
    return producer.send(
        record.topic,
        key=record.key,
        value=record.value,
        partition=record.partition,
        timestamp_ms=record.received_at,
    )


def _settle(unanswered: deque[FutureRecordMetadata], most: int) -> None:
    """Take the answers off, raising what went wrong; wait only while more than `most` are missing."""
    while unanswered and (unanswered[0].is_done or len(unanswered) > most):
        unanswered.popleft().get(timeout=ANSWER_SECONDS)
