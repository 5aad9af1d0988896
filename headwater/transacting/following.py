"""Following a topic: the group shares its partitions among services, and each is a desk of its own."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from kafka import KafkaConsumer

from headwater.transacting.desk import CLOSE_SECONDS, Desk

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from headwater.settings import Settings
    from headwater.transacting.pauses import Pauses
    from headwater.transacting.route import Route
    from headwater.transacting.work import Work

POLL_MS = 500
# A member that is silent for so long has lost its partitions; one that comes back under its name has them.
SESSION_MS = 6_000
HEARTBEAT_MS = 1_000


class Follower:
    """One member of the group, and the desks of its partitions."""

    def __init__(self, settings: Settings, route: Route, work: Callable[[], Work], name: str | None) -> None:
        self.settings, self.route, self.work = settings, route, work
        self.log = logging.getLogger(f"headwater.{route.role}")
        self.desks: dict[int, Desk] = {}
        self.consumer = KafkaConsumer(
            route.source.name,
            **settings.kafka_client(route.role),
            group_id=route.group,
            group_instance_id=name,
            session_timeout_ms=SESSION_MS,
            heartbeat_interval_ms=HEARTBEAT_MS,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            isolation_level="read_committed",
        )

    def follow_until(self, stop: threading.Event, pauses: Pauses) -> None:
        """Answer records until `stop` is set or anything goes wrong."""
        try:
            while not stop.is_set():
                batches = self.consumer.poll(timeout_ms=POLL_MS)
                opened = self.open_desks()
                for place, records in batches.items():
                    if place.partition not in opened:  # what was read before the fence is read again
                        self.answer(place.partition, records)
                        pauses.reset()
        finally:
            for desk in self.desks.values():
                desk.close()
            self.consumer.close(timeout_ms=CLOSE_SECONDS * 1000)

    def answer(self, partition: int, records: list[object]) -> None:
        """Answer the records of a partition."""
        answers = self.desks[partition].answer(records, self.consumer.group_metadata())
        self.log.info("answered partition=%d records=%d answers=%d", partition, len(records), answers)

    def open_desks(self) -> set[int]:
        """Close the desks of partitions that were lost, open those of new ones; return the latter.

        Not in a listener of the consumer: it would hold up the heartbeats for as long as it takes to recall.
        """
        assigned = {place.partition for place in self.consumer.assignment()}
        for partition in self.desks.keys() - assigned:
            self.desks.pop(partition).close()
            self.log.info("gave up partition=%d", partition)
        opened = assigned - self.desks.keys()
        for partition in opened:
            self.desks[partition] = Desk(self.settings, self.route, partition, self.work())
            self.seek(partition)
            recalled = self.desks[partition].recalled
            self.log.info("took over partition=%d recalled=%d", partition, recalled)
        return opened

    def seek(self, partition: int) -> None:
        """Go to where the last transaction ended; before the fence it may have been on its way."""
        place = self.route.place(partition)
        committed = self.consumer.committed(place)
        if committed is None:
            self.consumer.seek_to_beginning(place)
        else:
            self.consumer.seek(place, committed)
