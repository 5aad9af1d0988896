"""From which topic to which, and the names that Kafka knows a service by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from kafka import TopicPartition

if TYPE_CHECKING:
    from headwater.topics import Topic


class Route(ABC):
    """Records of partition p are answered in partition p, so what is known of them moves along."""

    role: ClassVar[str]
    group: str
    """The consumer group that shares the source; all other names start with it, as access is granted so."""

    @property
    @abstractmethod
    def source(self) -> Topic:
        """Return the topic whose records are answered."""

    @property
    @abstractmethod
    def targets(self) -> tuple[Topic, ...]:
        """Return the topics of the answers."""

    def place(self, partition: int) -> TopicPartition:
        """Return a partition of the source."""
        return TopicPartition(self.source.name, partition)

    def transactional_id(self, partition: int) -> str:
        """Return the name under which a partition's answers are written: one writer at a time."""
        return f"{self.group}.{partition}"
