"""Alerts become notifications, each once: `notifications` knows which were, and is the memory of this work.

`alerts` may hold the same alert twice: views write it at least once, always with the same id.
"""

from __future__ import annotations

import json
import logging
import time
from typing import TYPE_CHECKING

from headwater.notifier.alert import Alert
from headwater.transacting import Answer, Work
from headwater.transacting.memory import Memory
from headwater.transacting.reading import Malformed, read

if TYPE_CHECKING:
    from kafka.consumer.fetcher import ConsumerRecord

    from headwater.notifier.route import Route

log = logging.getLogger("headwater.notifier")


class Notifying(Work):
    """The notifications of one partition."""

    def __init__(self, route: Route) -> None:
        self.route = route
        self.memory = Memory(route.remembered_for)
        self.malformed = 0

    def recall(self, told: Answer | ConsumerRecord) -> None:
        """Remember that an alert was notified."""
        self.memory.add(json.loads(told.value)["event_id"], told.timestamp)

    def answer(self, records: list[ConsumerRecord]) -> list[Answer]:
        """Return the notifications of alerts that were never notified, each once, in their order."""
        now = int(time.time() * 1000)
        return [self._notification(alert, now) for alert in self._alerts(records) if self._is_new(alert, now)]

    def _alerts(self, records: list[ConsumerRecord]) -> list[Alert]:
        alerts = []
        for record in records:
            try:
                alerts.append(read(Alert, record.value, self.route.alerts.largest_event))
            except Malformed as reason:
                self._skip(record, reason)
        return alerts

    def _is_new(self, alert: Alert, now: int) -> bool:
        """Say whether an alert was never notified, and remember that it is now."""
        if alert.event_id in self.memory:
            return False
        self.memory.add(alert.event_id, now)
        return True

    def _notification(self, alert: Alert, now: int) -> Answer:
        told = alert.notification(now)
        return Answer(self.route.notifications.name, told.subject.encode(), told.encoded(), told.sent_at)

    def _skip(self, record: ConsumerRecord, reason: Malformed) -> None:
        """Count what is no alert and go on: the quarantine of the topic keeps it."""
        self.malformed += 1
        log.warning(
            "skipped a malformed alert partition=%d offset=%d skipped=%d reason=%s",
            *(record.partition, record.offset, self.malformed, reason),
        )
