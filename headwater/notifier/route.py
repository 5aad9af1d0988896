"""From alerts to notifications, and the names that Kafka knows the notifier by."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar

from headwater import transacting
from headwater.topics import load_topics

if TYPE_CHECKING:
    from headwater.topics import Topic

ROLE = "notifier"


@dataclass(frozen=True, kw_only=True)
class Route(transacting.Route):
    """Alerts of partition p become notifications of partition p."""

    role: ClassVar[str] = ROLE
    alerts: Topic = field(default_factory=lambda: load_topics()["alerts"])
    notifications: Topic = field(default_factory=lambda: load_topics()["notifications"])
    group: str = "headwater.notifier"

    @property
    def source(self) -> Topic:
        """Return the topic of the alerts."""
        return self.alerts

    @property
    def targets(self) -> tuple[Topic, ...]:
        """Return the topic of the notifications."""
        return (self.notifications,)

    def channel_group(self, channel: str) -> str:
        """Return the consumer group of a channel."""
        return f"{self.group}.{channel}"

    @property
    def remembered_for(self) -> timedelta:
        """For how long the notifications are kept, and with them the knowledge of what was notified."""
        return self.notifications.retention or timedelta.max
