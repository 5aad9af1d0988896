"""Where a replay starts: what was asked, as an offset for each partition, against what the log holds.

Resolved once, by us, and written down: Spark would resolve a time anew, and refuses one that some partition
has no later record for.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from kafka import KafkaConsumer, TopicPartition

from headwater import offsets
from headwater.errors import Refusal
from headwater.replay.request import EARLIEST, offsets_in, time_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kafka import KafkaAdminClient

    from headwater.settings import Settings

    Offsets = Mapping[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """The part of one partition that a replay will read, and what the log holds of it."""

    topic: str
    partition: int
    asked: int
    beginning: int
    end: int

    @property
    def events(self) -> int:
        """Return how many offsets there are to read."""
        return max(self.end - max(self.asked, self.beginning), 0)

    @property
    def refusal(self) -> str:
        """Say why this part cannot be replayed; nothing if it can."""
        where = f"partition {self.partition} of {self.topic}"
        if self.asked < self.beginning:
            return f"Offsets {self.asked} to {self.beginning - 1} of {where} have expired."
        if self.asked > self.end:
            return f"{where.capitalize()} ends at offset {self.end}; {self.asked} does not exist yet."
        return ""


def resolve(client: KafkaAdminClient, topics: Sequence[str], start: str) -> list[Stretch]:
    """Return what a start means for each partition of the topics."""
    named = offsets_in(start)
    return [
        stretch
        for topic in topics
        for stretch in _stretches(client, topic, start, _of_topic(named, topic, topics))
    ]


def _stretches(client: KafkaAdminClient, topic: str, start: str, named: Offsets | None) -> list[Stretch]:
    beginnings, ends = offsets.beginnings(client, topic), offsets.ends(client, topic)
    asked = _asked(client, topic, start, named, beginnings)
    return [
        Stretch(topic=topic, partition=part, asked=asked[part], beginning=beginnings[part], end=ends[part])
        for part in sorted(beginnings)
    ]


def seam(
    settings: Settings, start: str, stretches: Sequence[Stretch], look_back: timedelta
) -> datetime | None:
    """Return from when on rows are whole; None for a replay from the very first record.

    An event is never received before it happened. So a row whose events all happened after the time of the
    start has all of them behind the start.
    """
    if all(stretch.asked == 0 for stretch in stretches):
        return None
    times = [time_in(start) or _received(settings, stretch) for stretch in stretches if stretch.asked]
    return max(times) + look_back


def _received(settings: Settings, stretch: Stretch) -> datetime:
    """Return when the first record of a stretch was received; now, if it is still to come."""
    if not stretch.events or stretch.refusal:
        return datetime.now(UTC)
    place = TopicPartition(stretch.topic, stretch.partition)
    consumer = KafkaConsumer(**settings.kafka_client("apps"), enable_auto_commit=False)
    try:
        consumer.assign([place])
        consumer.seek(place, stretch.asked)
        records = consumer.poll(timeout_ms=10_000, max_records=1).get(place)
    finally:
        consumer.close()
    return datetime.fromtimestamp(records[0].timestamp / 1000, UTC) if records else datetime.now(UTC)


def _of_topic(named: dict[str, object] | None, topic: str, topics: Sequence[str]) -> Offsets | None:
    if named is None:
        return None
    by_topic = all(isinstance(value, dict) for value in named.values())
    if not by_topic and len(topics) > 1:
        raise Refusal(
            "offsets need the names of their topics",
            detail=f"This view reads {', '.join(topics)}.",
            hint='Write {"<topic>": {"<partition>": <offset>}}.',
        )
    found = named.get(topic) if by_topic else named
    if not isinstance(found, dict) or (by_topic and named.keys() != set(topics)):
        raise Refusal("offsets do not name the topics of the view", detail=f"It reads {', '.join(topics)}.")
    return {int(partition): int(offset) for partition, offset in found.items()}


def _asked(
    client: KafkaAdminClient, topic: str, start: str, named: Offsets | None, beginnings: Offsets
) -> Offsets:
    if start == EARLIEST:
        return beginnings
    if named is None:
        time = time_in(start)
        if time is None:
            raise LookupError(f"{start!r} is no start")
        return offsets.since(client, topic, time)
    if named.keys() != beginnings.keys():
        raise Refusal(
            f'offsets do not name the partitions of topic "{topic}"',
            detail=f"Named: {sorted(named)}. There are: {sorted(beginnings)}.",
            hint="Give an offset for each partition.",
        )
    return named
