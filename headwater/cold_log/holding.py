"""What the cold log holds of each topic: ranges of offsets that were read without a break.

    page_views, partition 0      [0 · · · 40 · · · 1200)             [1300 · · · 5000)

Offset 40 lies in a range and has no row: Kafka was asked for it and gave none, because it was compacted away
or is the marker of a transaction. That is no loss. Offsets 1200 to 1299 lie in no range: nobody has read
them.

The ranges travel in the commit that brings their records, together with the id of the topic and the number of
records; a topic that was deleted and made anew has another id, and its offsets mean other records.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    Ledger = Mapping[str, "Holding"]  # by topic
    Range = tuple[int, int]  # the first offset, and the one after the last

TABLE = "cold.log"


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """What is archived of one partition."""

    ranges: tuple[Range, ...] = ()
    records: int = 0

    def with_batch(self, start: int, end: int, records: int) -> Archived:
        """Add what a batch has read; it goes on where the batch before has ended, unless some was lost."""
        *before, last = self.ranges or ((start, start),)
        ranges = (*before, (last[0], end)) if last[1] == start else (*self.ranges, (start, end))
        return Archived(ranges=ranges, records=self.records + records)

    @property
    def reached(self) -> int:
        """The offset after the last that is archived; the first of all if nothing is."""
        return self.ranges[-1][1] if self.ranges else 0

    def missing(self, start: int, end: int) -> list[Range]:
        """Return the parts of a range that are not archived."""
        found = []
        for first, after in self.ranges:
            if start < min(first, end):
                found.append((start, min(first, end)))
            start = max(start, after)
        return [*found, (start, end)] if start < end else found

    def back_from(self, offset: int) -> int:
        """Return the first offset from which on all is archived up to this one."""
        return self._around(offset)[0]

    def on_from(self, offset: int) -> int:
        """Return the offset up to which all is archived from this one on."""
        return self._around(offset)[1]

    def _around(self, offset: int) -> Range:
        return next((one for one in self.ranges if one[0] <= offset <= one[1]), (offset, offset))


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What is archived of one topic."""

    topic_id: str
    partitions: Mapping[int, Archived] = field(default_factory=dict)

    def partition(self, number: int) -> Archived:
        """Return what is archived of a partition, if only nothing."""
        return self.partitions.get(number, Archived())


def write_ledger(ledger: Ledger) -> str:
    """Write what is held as it is stored with a commit."""
    return json.dumps({topic: asdict(holding) for topic, holding in ledger.items()})


def read_ledger(text: str) -> dict[str, Holding]:
    """Read what is held."""
    return {
        topic: Holding(
            topic_id=stored["topic_id"],
            partitions={
                int(number): Archived(
                    ranges=tuple((first, after) for first, after in part["ranges"]), records=part["records"]
                )
                for number, part in stored["partitions"].items()
            },
        )
        for topic, stored in json.loads(text).items()
    }


def of_topic(ledger: Ledger, topic: str, topic_id: str) -> Holding:
    """Return what is held of a topic; refuses one that was deleted and made anew."""
    holding = ledger.get(topic, Holding(topic_id=topic_id))
    if holding.topic_id != topic_id:
        raise Refusal(
            f'topic "{topic}" was deleted and made anew',
            detail=f"The cold log holds topic {holding.topic_id}, and Kafka has {topic_id}: "
            "the same offsets are other records.",
            hint="See docs/cold-log.md; until then its records are not archived, and never mixed in.",
        )
    return holding
