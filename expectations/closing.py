"""Closed windows: the rows that two versions of a view must agree on, although both are still moving.

Late is a property of the event, so a window [s, e) depends only on records received up to e + lateness. The
two versions are rarely at the same offsets; the records that only one of them has read are looked up in the
log itself, and a window is closed when even the oldest of them came too late for it. With nothing between
them, every window is closed: both must have made the same of the same records.

Heartbeats would be easier to ask, but they tell the newest record of all partitions, and are not of the same
moment as the snapshots that are compared.

Rows that are only appended appear later, when the watermark has passed their window. It follows the newest
event up to the batch before; a few records at the end of that batch tell how far it has come at least.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater import offsets
from headwater.brokers import admin_client
from spark_apps import clocks, sinks
from spark_apps.decode import decode
from spark_apps.kafka_log import read_range

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from expectations.snapshots import Snapshot
    from expectations.versions import Version
    from headwater.replay.between import Between
    from headwater.settings import Settings
    from headwater.topics import Topic

    Topics = Mapping[str, Topic]
    Offsets = Mapping[str, Mapping[str, int]]

TAIL = 500  # records per partition that tell how far a version has come


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """The windows that are closed: they begin since, and end before then; None is no bound."""

    since: datetime | None = None
    until: datetime | None = None
    nothing: bool = False
    # Rows that hold late events which a backfill has let in: no other version has them.
    admitted: tuple[Between, ...] = ()

    def rows(self, time: str, closing: str) -> Column:
        """Say whether a row is of a closed window."""
        inside = F.lit(not self.nothing)
        if self.since is not None:
            inside &= F.col(time) >= F.lit(self.since)
        if self.until is not None:
            inside &= F.expr(closing) < F.lit(self.until)
        return inside & ~self.with_late_events(time)

    def with_late_events(self, time: str) -> Column:
        """Say whether a row is of a window into which a backfill has let late events."""
        return reduce(or_, (sinks.between(time, stretch) for stretch in self.admitted), F.lit(False))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A version, held at one moment of its history: its rows, and up to where it has read."""

    version: Version
    snapshot: int
    offsets: Offsets
    before: Offsets  # one batch earlier

    @classmethod
    def newest(cls, version: Version, history: Sequence[Snapshot]) -> Pin:
        """Hold a version at its newest snapshot, even if that is no batch of ours: readers get it, too."""
        reached = [snapshot.offsets for snapshot in history if snapshot.batch is not None]
        before, offsets = [{}, {}, *reached][-2:]
        return cls(version=version, snapshot=history[-1].id, offsets=offsets, before=before)


def closed_windows(
    spark: SparkSession, settings: Settings, topics: Topics, live: Pin, candidate: Pin
) -> Closed:
    """Return the windows that both versions have finished; rows of tables belong to none, and all count."""
    if not candidate.version.declared.inputs:
        return Closed()
    seams = [pin.version.seam_at for pin in (live, candidate) if pin.version.seam_at is not None]
    since = max(seams, default=None)
    admitted = (*live.version.admitted, *candidate.version.admitted)
    bounds = [_until_unread(spark, settings, live, candidate)]
    for pin in (live, candidate):
        if pin.version.declared.output == "append":
            emitted = closed_until(spark, settings, topics, pin)
            if emitted is None:
                return Closed(since=since, nothing=True, admitted=admitted)
            bounds.append(emitted)
    until = min((bound for bound in bounds if bound is not None), default=None)
    return Closed(since=since, until=until, admitted=admitted)


def _until_unread(spark: SparkSession, settings: Settings, live: Pin, candidate: Pin) -> datetime | None:
    """Return up to when no record between the two versions belongs to a window; None: nothing is between."""
    received = [
        oldest
        for topic in live.offsets.keys() & candidate.offsets.keys()
        if (oldest := _oldest_between(spark, settings, topic, live.offsets, candidate.offsets)) is not None
    ]
    lateness = max(pin.version.declared.lateness for pin in (live, candidate))
    return min(received) - lateness if received else None


def _oldest_between(
    spark: SparkSession, settings: Settings, topic: str, one: Offsets, other: Offsets
) -> datetime | None:
    partitions = one[topic].keys() | other[topic].keys()
    reached = {p: sorted((one[topic].get(p, 0), other[topic].get(p, 0))) for p in partitions}
    start, end = ({int(p): bounds[side] for p, bounds in reached.items()} for side in (0, 1))
    if start == end:
        return None
    records = read_range(spark, settings, topic, start, end)
    return moment_of(records, F.min("timestamp"))


def closed_until(spark: SparkSession, settings: Settings, topics: Topics, pin: Pin) -> datetime | None:
    """Return up to when one version has finished its windows by itself; None: it has finished nothing.

    Of a view with several inputs, the fastest counts: so it does for the watermark.
    """
    declared = pin.version.declared
    newest = [_newest_event(spark, settings, topics[topic], pin) for topic in declared.inputs]
    reached = [moment for moment in newest if moment is not None]
    held_back = declared.remembers if declared.output == "append" else declared.lateness
    return max(reached) - held_back if reached else None


def _newest_event(spark: SparkSession, settings: Settings, topic: Topic, pin: Pin) -> datetime | None:
    declared = pin.version.declared
    reached = pin.before if declared.output == "append" else pin.offsets
    end = {int(partition): offset for partition, offset in reached.get(topic.name, {}).items()}
    with admin_client(settings, settings.reader) as client:
        held = offsets.beginnings(client, topic.name)
    began = (pin.version.starting_offsets or {}).get(topic.name, {})
    start = {
        partition: min(offset, max(offset - TAIL, held[partition], began.get(str(partition), 0)))
        for partition, offset in end.items()
    }
    if start == end:
        return None
    records = read_range(spark, settings, topic.name, start, end)
    events = clocks.correct(decode(records, topic).where("reason IS NULL"), topic)
    on_time = events.where(~clocks.late(declared.lateness)) if declared.clock == "event_time" else events
    return moment_of(on_time, F.max(declared.clock))


def moment_of(rows: DataFrame, of: Column) -> datetime | None:
    """Return one time out of rows."""
    micros = clocks.micros_of(rows, of)
    return None if micros is None else datetime.fromtimestamp(0, UTC) + timedelta(microseconds=micros)
