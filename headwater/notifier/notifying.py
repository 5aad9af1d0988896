"""Exactly once: the transaction that turns the alerts of a partition into notifications.

A partition has one transactional id, whoever works on it. Taking it over fences off every earlier holder: its
open transaction is aborted, and whatever it still tries is refused, however long it was stopped or cut off.
Only then is it read what was notified and how far, so both are final. The order is the proof:

    fence, recall, seek     nobody else can add to what is read here
    begin, send, offsets, commit   all of it or nothing

Any error ends the session, and everything begins again with the fence, as after a crash: the way back that is
tested by killing is the only one there is.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kafka import KafkaConsumer, KafkaProducer, OffsetAndMetadata
from kafka.errors import KafkaError

from headwater.notifier.alert import Alert, MalformedAlert, read_alert
from headwater.notifier.memory import recall
from headwater.notifier.route import ROLE, Route

if TYPE_CHECKING:
    import threading

    from kafka.structs import ConsumerGroupMetadata

    from headwater.notifier.pauses import Pauses
    from headwater.settings import Settings

log = logging.getLogger("headwater.notifier")

POLL_MS = 500
ANSWER_SECONDS = 60
# A member that is silent for so long has lost its partitions; one that comes back under its name has them.
SESSION_MS = 6_000
HEARTBEAT_MS = 1_000
# After this time Kafka itself aborts what a dead notifier has begun, if none comes to take over.
TRANSACTION_MS = 30_000
CLOSE_SECONDS = 5


class Desk:
    """The notifier of one partition."""

    def __init__(self, settings: Settings, route: Route, partition: int) -> None:
        self.route, self.partition = route, partition
        self.malformed = 0
        self.producer = KafkaProducer(
            **settings.kafka_client(ROLE),
            transactional_id=route.transactional_id(partition),
            transaction_timeout_ms=TRANSACTION_MS,
        )
        try:
            self.producer.init_transactions()  # the fence
            self.memory = recall(settings, route, partition)
        except BaseException:
            self.close()
            raise

    def notify(self, records: list[Any], group: ConsumerGroupMetadata) -> None:
        """Notify what is new among the records, and mark all of them as read, in one transaction."""
        now = int(time.time() * 1000)
        new = self._new_alerts(records)
        read_up_to = {self.route.source(self.partition): OffsetAndMetadata(records[-1].offset + 1, "", -1)}

        self.producer.begin_transaction()
        self._send([alert.notification(now) for alert in new])
        self.producer.send_offsets_to_transaction(read_up_to, group)
        self.producer.commit_transaction()

        for alert in new:
            self.memory.add(alert.event_id, now)
        log.info("notified partition=%d alerts=%d notified=%d", self.partition, len(records), len(new))

    def close(self) -> None:
        """Let go of the partition; a transaction that is still open is aborted by whoever takes over."""
        with suppress(KafkaError):  # it may be what went wrong
            self.producer.close(timeout=CLOSE_SECONDS)

    def _send(self, notifications: list[Alert]) -> None:
        """Write notifications, and wait until Kafka has them all.

        Kafka's client would commit what it has, if it gives up on a record and nobody looks.
        """
        topic, partition = self.route.target(self.partition)
        answers = [
            self.producer.send(
                topic,
                key=told.subject.encode(),
                value=told.encoded(),
                partition=partition,
                timestamp_ms=told.sent_at,
            )
            for told in notifications
        ]
        for answer in answers:
            answer.get(timeout=ANSWER_SECONDS)

    def _new_alerts(self, records: list[Any]) -> list[Alert]:
        """Return the alerts that were never notified, each once, in their order."""
        new: dict[str, Alert] = {}
        for record in records:
            try:
                alert = read_alert(record.value, self.route.alerts.largest_event)
            except MalformedAlert as reason:
                self._skip(record, reason)
                continue
            if alert.event_id not in self.memory:
                new.setdefault(alert.event_id, alert)
        return list(new.values())

    def _skip(self, record: Any, reason: MalformedAlert) -> None:
        """Count what is no alert and go on: the quarantine of the topic keeps it."""
        self.malformed += 1
        log.warning(
            "skipped a malformed alert partition=%d offset=%d skipped=%d reason=%s",
            *(record.partition, record.offset, self.malformed, reason),
        )


def notify_until(
    stop: threading.Event, settings: Settings, route: Route, name: str | None, pauses: Pauses
) -> None:
    """Notify until `stop` is set or anything goes wrong; the group shares the partitions among notifiers."""
    consumer = KafkaConsumer(
        route.alerts.name,
        **settings.kafka_client(ROLE),
        group_id=route.group,
        group_instance_id=name,
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        isolation_level="read_committed",
    )
    desks: dict[int, Desk] = {}
    try:
        while not stop.is_set():
            batches = consumer.poll(timeout_ms=POLL_MS)
            opened = _follow(consumer, desks, settings, route)
            for place, records in batches.items():
                if place.partition not in opened:  # what was read before the fence is read again
                    desks[place.partition].notify(records, consumer.group_metadata())
                    pauses.reset()
    finally:
        for desk in desks.values():
            desk.close()
        consumer.close(timeout_ms=CLOSE_SECONDS * 1000)


def _follow(consumer: KafkaConsumer, desks: dict[int, Desk], settings: Settings, route: Route) -> set[int]:
    """Close the desks of partitions that were lost, open those of new ones; return the partitions opened.

    Not in a listener of the consumer: it would hold up the heartbeats for as long as the memory is read.
    """
    assigned = {place.partition for place in consumer.assignment()}
    for partition in desks.keys() - assigned:
        desks.pop(partition).close()
        log.info("gave up partition=%d", partition)
    opened = assigned - desks.keys()
    for partition in opened:
        desks[partition] = Desk(settings, route, partition)
        _seek(consumer, route, partition)
        log.info("took over partition=%d remembers=%d", partition, len(desks[partition].memory))
    return opened


def _seek(consumer: KafkaConsumer, route: Route, partition: int) -> None:
    """Go to where the last transaction ended; before the fence it may have been on its way."""
    place = route.source(partition)
    committed = consumer.committed(place)
    if committed is None:
        consumer.seek_to_beginning(place)
    else:
        consumer.seek(place, committed)
