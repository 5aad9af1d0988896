"""From which topic to which, and the names that Kafka knows the notifier by."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from kafka import TopicPartition

from headwater.topics import load_topics

if TYPE_CHECKING:
    from headwater.topics import Topic

ROLE = "notifier"


def _declared(name: str) -> Topic:
    return load_topics()[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Alerts of partition p become notifications of partition p, so what is known of them moves along."""

    alerts: Topic = field(default_factory=lambda: _declared("alerts"))
    notifications: Topic = field(default_factory=lambda: _declared("notifications"))
    group: str = "headwater.notifier"
    """The consumer group that shares the alerts; all other names start with it, as access is granted so."""

    def source(self, partition: int) -> TopicPartition:
        """Return the alerts of a partition."""
        return TopicPartition(self.alerts.name, partition)

    def target(self, partition: int) -> TopicPartition:
        """Return the notifications of a partition."""
        return TopicPartition(self.notifications.name, partition)

    def transactional_id(self, partition: int) -> str:
        """Return the name under which a partition's notifications are written: one writer at a time."""
        return f"{self.group}.{partition}"

    def channel_group(self, channel: str) -> str:
        """Return the consumer group of a channel."""
        return f"{self.group}.{channel}"

    @property
    def remembered_for(self) -> timedelta:
        """For how long the notifications are kept, and with them the knowledge of what was notified."""
        return self.notifications.retention or timedelta.max
