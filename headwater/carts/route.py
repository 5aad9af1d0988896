"""From commands to events and rejections, and the names that Kafka knows the service by."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar

from headwater import transacting
from headwater.topics import load_topics

if TYPE_CHECKING:
    from headwater.topics import Topic

ROLE = "carts"


@dataclass(frozen=True, kw_only=True)
class Route(transacting.Route):
    """Commands of partition p become events and rejections of partition p: a cart has one place."""

    role: ClassVar[str] = ROLE
    commands: Topic = field(default_factory=lambda: load_topics()["cart_commands"])
    events: Topic = field(default_factory=lambda: load_topics()["cart_events"])
    rejections: Topic = field(default_factory=lambda: load_topics()["rejected_commands"])
    group: str = "headwater.carts"

    @property
    def source(self) -> Topic:
        """Return the topic of the commands."""
        return self.commands

    @property
    def targets(self) -> tuple[Topic, ...]:
        """Return the topics of events and rejections."""
        return (self.events, self.rejections)

    @property
    def remembered_for(self) -> timedelta:
        """For how long it is known which commands were decided: as long as rejections are kept."""
        return self.rejections.retention or timedelta.max
