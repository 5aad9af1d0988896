"""Which alerts were notified: the topic `notifications` knows, and this is its index.

`alerts` may hold the same alert twice: views write it at least once, always with the same id. The memory of a
partition is read back from its notifications whenever a notifier takes the partition over, so there is no
second place that could disagree with what people were told.

An id is remembered for as long as its notification is kept: 30 days, counted from when it was notified. The
same alert written again after that is notified again. It is looked for in its own partition only, where its
key has brought it; adding partitions to both topics moves keys, and a repeat across that moment is new.

An id costs about 100 bytes (measured: 97 to 126), however long it is, because its digest is kept. Ten alerts
a minute are 432,000 in 30 days: 42 MB, read back in about half a minute (13,000 a second on a busy machine).
"""

from __future__ import annotations

import json
import time
from hashlib import blake2b
from typing import TYPE_CHECKING

from kafka import KafkaAdminClient, KafkaConsumer
from kafka.errors import KafkaTimeoutError

from headwater import offsets
from headwater.errors import Refusal
from headwater.notifier.route import ROLE, Route

if TYPE_CHECKING:
    from datetime import timedelta

    from headwater.settings import Settings

DIGEST_BYTES = 16  # no two ids among billions share one
DAY = 24 * 60 * 60 * 1000
STALLED_SECONDS = 60


class Memory:
    """The ids that were notified lately, by day: a day is forgotten as a whole, so no id needs its time."""

    def __init__(self, lasts: timedelta) -> None:
        self._lasts = lasts.total_seconds() * 1000
        self._days: dict[int, set[bytes]] = {}

    def __contains__(self, event_id: str) -> bool:
        digest = _digest(event_id)
        return any(digest in day for day in self._days.values())

    def __len__(self) -> int:
        return sum(map(len, self._days.values()))

    def add(self, event_id: str, at: int) -> None:
        """Remember that an alert was notified at a time (in milliseconds); forget days that are too old."""
        if at // DAY not in self._days:
            self._days[at // DAY] = set()
            for day in [day for day in self._days if (day + 1) * DAY < at - self._lasts]:
                del self._days[day]
        self._days[at // DAY].add(_digest(event_id))


def recall(settings: Settings, route: Route, partition: int) -> Memory:
    """Read back what was notified in a partition, up to the last record that anyone has written.

    That end, and not the last one known to be committed: behind a transaction that is still open there may be
    notifications. Whoever calls has fenced off the writers before, so nothing comes after it.
    """
    memory = Memory(route.remembered_for)
    end = _end(settings, route, partition)
    consumer = KafkaConsumer(
        **settings.kafka_client(ROLE),
        group_id=None,
        isolation_level="read_committed",
        max_poll_records=5_000,
    )
    try:
        consumer.assign([route.target(partition)])
        consumer.seek_to_beginning()
        _read_up_to(end, consumer, route, partition, memory)
    finally:
        consumer.close()
    return memory


def _end(settings: Settings, route: Route, partition: int) -> int:
    with KafkaAdminClient(**settings.kafka_client(ROLE)) as client:
        ends = offsets.ends(client, route.notifications.name)
    if partition not in ends:
        raise Refusal(
            f'topic "{route.notifications.name}" has no partition {partition}',
            detail=f'Topic "{route.alerts.name}" has one, and its alerts are notified in the same partition.',
            hint="Give both topics the same number of partitions, then `headwater topics apply --grow`.",
        )
    return ends[partition]


def _read_up_to(end: int, consumer: KafkaConsumer, route: Route, partition: int, memory: Memory) -> None:
    deadline = time.monotonic() + STALLED_SECONDS
    while consumer.position(route.target(partition)) < end:
        if time.monotonic() > deadline:
            raise KafkaTimeoutError(f"{route.target(partition)} could not be read up to offset {end}")
        for records in consumer.poll(timeout_ms=500).values():
            for record in records:
                memory.add(json.loads(record.value)["event_id"], record.timestamp)
            deadline = time.monotonic() + STALLED_SECONDS


def _digest(event_id: str) -> bytes:
    return blake2b(event_id.encode(), digest_size=DIGEST_BYTES).digest()
