"""How far a query is from losing records: a pure function of the log and of how far it has read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from headwater.topics.quantities import write_size

if TYPE_CHECKING:
    from collections.abc import Iterable

TIGHT = 0.25  # of what Kafka keeps: somebody must be told while there is still time to do something


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """One partition as Kafka has it."""

    topic: str
    partition: int
    beginning: int
    end: int
    size: int  # bytes on the disk of a broker
    retention: timedelta | None = None  # how long a record is kept; for ever
    limit: int | None = None  # bytes that are kept; no limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """How far a query is, in one partition, from what Kafka lets go."""

    topic: str
    partition: int
    unread: int = 0  # records that it has still to read
    lost: int = 0  # records that are gone, and that it has not read
    time_left: timedelta | None = None  # until the first unread record may go; None: nothing is in danger
    bytes_left: int = 0  # of records that it has read, and that go before
    tight: bool = False  # a person should know

    def __str__(self) -> str:
        where = f"partition {self.partition} of {self.topic}"
        if self.lost:
            return f"{self.lost:,} records of {where} are gone, and were not read"
        if self.time_left is not None and self.time_left > timedelta(0):
            left = timedelta(seconds=int(self.time_left.total_seconds()))
            return f"the first of {self.unread:,} unread records of {where} is let go in {left}"
        return (
            f"{self.unread:,} unread records of {where} may be let go at any moment: only "
            f"{write_size(self.bytes_left)} go before them"
        )


def margin(part: Partition, reached: int, received_at: datetime | None, now: datetime) -> Margin:
    """Return how much is left, given when the first unread record was received.

    Kafka deletes whole segments, so a record may stay longer than this; never shorter.
    """
    unread, lost = part.end - max(reached, part.beginning), max(part.beginning - reached, 0)
    read = max(reached - part.beginning, 0) / max(part.end - part.beginning, 1)
    time_left, too_old = None, False
    if unread and part.retention is not None and received_at is not None:
        time_left = received_at + part.retention - now
        too_old = time_left < part.retention * TIGHT
    too_much = part.limit is not None and part.size * (1 - read) > part.limit * (1 - TIGHT)
    return Margin(
        topic=part.topic,
        partition=part.partition,
        unread=unread,
        lost=lost,
        time_left=time_left,
        bytes_left=int(part.size * read),
        tight=lost > 0 or too_old or (unread > 0 and too_much),
    )


def tightest(margins: Iterable[Margin]) -> Margin | None:
    """Return the one that needs help first."""
    return min(margins, key=_urgency, default=None)


def _urgency(margin: Margin) -> tuple[bool, bool, timedelta, int]:
    left = timedelta.max if margin.time_left is None else margin.time_left
    return (not margin.lost, not margin.tight, left, margin.bytes_left)
