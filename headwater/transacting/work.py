"""What a service does with the records of one partition; it knows nothing of Kafka."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kafka.consumer.fetcher import ConsumerRecord


class Answer(NamedTuple):
    """A record to be written, to the partition of the record that it answers."""

    topic: str
    key: bytes
    value: bytes
    timestamp: int


class Work(ABC):
    """What is known of a partition, and what is answered there.

    What it learns while it answers need not be taken back if the transaction fails: then it is thrown away
    as a whole, and its successor recalls what was committed.
    """

    @abstractmethod
    def recall(self, told: Answer | ConsumerRecord) -> None:
        """Learn from an answer that was given earlier, in the order of its topic."""

    @abstractmethod
    def answer(self, records: list[ConsumerRecord]) -> list[Answer]:
        """Return the answers to records."""
