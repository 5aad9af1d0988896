"""Where a replay starts: what was asked, as an offset for each partition, against what is still held.

    asked                 beginning of what Kafka holds                 end
      | · from the cold log · | · · · · · · from Kafka · · · · · · · · · |

What Kafka has let go is read from the cold log; the two meet at Kafka's first offset, exactly. A compacted
topic has holes behind its first offset: who needs to know what was so before, and not only what is so, reads
all that was archived from the cold log. Resolved once, by us, and written down: Spark would resolve a time
anew, and refuses one that some partition has no later record for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from headwater import cold_log, offsets, peeking
from headwater.cold_log import Archived
from headwater.cold_log.holding import of_topic
from headwater.errors import Refusal
from headwater.replay.request import EARLIEST, offsets_in, time_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kafka import KafkaAdminClient

    from headwater.cold_log.holding import Ledger
    from headwater.settings import Settings

    Offsets = Mapping[int, int]


NOTHING = Archived()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """The part of one partition that a replay will read, and what Kafka and the cold log hold of it."""

    topic: str
    partition: int
    asked: int
    beginning: int  # of what Kafka holds, or is asked for
    end: int
    archived: Archived = NOTHING

    @property
    def events(self) -> int:
        """Return how many offsets there are to read."""
        return max(self.end - self.asked, 0)

    @property
    def cold_events(self) -> int:
        """Return how many of them the cold log is asked for."""
        return self.stitch - self.asked

    @property
    def stitch(self) -> int:
        """Return the offset from which on Kafka is asked, and before which the cold log is."""
        return max(self.asked, min(self.beginning, self.end))

    @property
    def cut_off(self) -> bool:
        """Whether it begins with the first record that is held, and there were others before."""
        return self.asked > 0 and self.asked == self.archived.back_from(self.beginning)

    @property
    def refusal(self) -> str:
        """Say why this part cannot be replayed; nothing if it can."""
        where = f"partition {self.partition} of {self.topic}"
        if missing := self.archived.missing(self.asked, self.stitch):
            gone = ", ".join(f"{first} to {after - 1}" for first, after in missing)
            return f"Offsets {gone} of {where} have expired, and the cold log does not hold them."
        if self.asked > self.end:
            return f"{where.capitalize()} ends at offset {self.end}; {self.asked} does not exist yet."
        return ""


def resolve(
    settings: Settings,
    client: KafkaAdminClient,
    topics: Sequence[str],
    start: str,
    *,
    superseded: bool = False,
) -> list[Stretch]:
    """Return what a start means for each partition of the topics.

    Of changes to a table those that were `superseded` may be gone from Kafka, and count only for some.
    """
    named = offsets_in(start)
    ledger = cold_log.held(settings)
    found = []
    for topic in topics:
        held = partitions_of(client, topic, ledger, superseded=superseded)
        asked = _asked(settings, client, topic, start, _of_topic(named, topic, topics), held)
        found += [replace(stretch, asked=asked[stretch.partition]) for stretch in held]
    return found


def partitions_of(
    client: KafkaAdminClient, topic: str, ledger: Ledger, *, superseded: bool = False
) -> list[Stretch]:
    """Return all that is held of each partition of a topic, in Kafka and, before that, in the cold log."""
    beginnings, ends = offsets.beginnings(client, topic), offsets.ends(client, topic)
    known = of_topic(ledger, topic, offsets.topic_ids(client, [topic])[topic])

    def held(partition: int, beginning: int) -> Stretch:
        archived = known.partition(partition)
        return Stretch(
            topic=topic,
            partition=partition,
            asked=archived.back_from(beginning),
            beginning=archived.on_from(beginning) if superseded else beginning,
            end=ends[partition],
            archived=archived,
        )

    return [held(*one) for one in sorted(beginnings.items())]


def offsets_of(stretches: Iterable[Stretch]) -> dict[str, dict[str, int]]:
    """Return where stretches start, as Spark wants to be told."""
    return _by_topic(stretches, lambda stretch: stretch.asked)


def stitches_of(stretches: Sequence[Stretch]) -> dict[str, dict[str, int]]:
    """Return where Kafka takes over from the cold log, for the topics that need it."""
    cold = {stretch.topic for stretch in stretches if stretch.cold_events}
    found = _by_topic(stretches, lambda stretch: stretch.stitch)
    return {topic: offsets for topic, offsets in found.items() if topic in cold}


def _by_topic(stretches: Iterable[Stretch], offset: Callable[[Stretch], int]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for stretch in stretches:
        found.setdefault(stretch.topic, {})[str(stretch.partition)] = offset(stretch)
    return found


def seam(
    settings: Settings, start: str, stretches: Sequence[Stretch], look_back: timedelta
) -> datetime | None:
    """Return from when on rows are whole; None for a replay from the very first record.

    An event is never received before it happened. So a row whose events all happened after the time of the
    start has all of them behind the start.
    """
    if all(stretch.asked == 0 for stretch in stretches):
        return None
    time = time_in(start)
    times = [
        first_received(settings, stretch) if time is None or stretch.cut_off else time
        for stretch in stretches
        if stretch.asked
    ]
    return max(times) + look_back


def first_received(settings: Settings, stretch: Stretch) -> datetime:
    """Return when the first record of a stretch was received; now, if it is still to come."""
    if not stretch.events or stretch.refusal:
        return datetime.now(UTC)
    if stretch.cold_events:
        range_of_it = (stretch.topic, stretch.partition, stretch.asked, stretch.stitch)
        return cold_log.received_at(settings, *range_of_it) or datetime.now(UTC)
    place = (stretch.topic, stretch.partition, stretch.asked)
    return peeking.received_at(settings, [place]).get(place) or datetime.now(UTC)


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
    settings: Settings,
    client: KafkaAdminClient,
    topic: str,
    start: str,
    named: Offsets | None,
    held: Sequence[Stretch],
) -> Offsets:
    earliest = {stretch.partition: stretch.asked for stretch in held}
    if start == EARLIEST:
        return earliest
    if named is None:
        time = time_in(start)
        if time is None:
            raise LookupError(f"{start!r} is no start")
        return _since(settings, client, topic, time, earliest)
    if named.keys() != earliest.keys():
        raise Refusal(
            f'offsets do not name the partitions of topic "{topic}"',
            detail=f"Named: {sorted(named)}. There are: {sorted(earliest)}.",
            hint="Give an offset for each partition.",
        )
    return named


def _since(
    settings: Settings, client: KafkaAdminClient, topic: str, time: datetime, earliest: Offsets
) -> Offsets:
    """Return the first offsets received at a time or later that are held without a break from there on."""
    in_kafka, archived = offsets.since(client, topic, time), cold_log.since(settings, topic, time)
    return {
        partition: max(min(offset, archived.get(partition, offset)), earliest[partition])
        for partition, offset in in_kafka.items()
    }
