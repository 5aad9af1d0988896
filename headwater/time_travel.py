"""A view as it was: at a time, or when it had read the log up to an offset.

Every batch of a view is a snapshot that says when it was committed and which offsets it reaches. So the past
of a view is not guessed from clocks: `page_views:0:1500` is the newest snapshot that has read no record of
partition 0 from offset 1500 on.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from headwater import names
from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyiceberg.table import Table
    from pyiceberg.table.snapshots import Snapshot

OFFSETS, BATCH = names.snapshot_property("offsets"), names.snapshot_property("batch")
PLACE = re.compile(r"([a-z][a-z0-9_]*):([0-9]{1,9}):([0-9]{1,18})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One snapshot of a view's table."""

    snapshot: int
    committed_at: datetime
    offsets: Mapping[str, Mapping[str, int]]
    batch: int | None = None  # of the query that keeps it; None: a commit of somebody else


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in the log: a partition of a topic, and the offset of a record."""

    topic: str
    partition: int
    offset: int

    @classmethod
    def read(cls, text: str) -> Place:
        """Read `topic:partition:offset`."""
        if (found := PLACE.fullmatch(text)) is None:
            raise Refusal(f'"{text}" is no place in the log', hint="Write it like page_views:0:1500.")
        return cls(topic=found[1], partition=int(found[2]), offset=int(found[3]))


def moments(table: Table) -> list[Moment]:
    """Return the snapshots that led to a table's present, oldest first.

    Who commits besides the query, a backfill or maintenance, has read nothing further.
    """
    found: list[Moment] = []
    for moment in [*newest_first(table)][::-1]:
        reached = found[-1].offsets if found and moment.batch is None else moment.offsets
        found.append(replace(moment, offsets=reached))
    return found


def newest_first(table: Table) -> Iterator[Moment]:
    """Return the snapshots that led to a table's present, newest first."""
    return map(_moment, line(table))


def line(table: Table) -> Iterator[Snapshot]:
    """Return the snapshots that led to a table's present, newest first."""
    found = {snapshot.snapshot_id: snapshot for snapshot in table.snapshots()}
    current = table.current_snapshot()
    while current is not None:
        yield current
        current = found.get(current.parent_snapshot_id) if current.parent_snapshot_id else None


def _moment(snapshot: Snapshot) -> Moment:
    summary = snapshot.summary.additional_properties if snapshot.summary else {}
    return Moment(
        snapshot=snapshot.snapshot_id,
        committed_at=datetime.fromtimestamp(snapshot.timestamp_ms / 1000, UTC),
        offsets=json.loads(summary.get(OFFSETS, "{}")),
        batch=int(summary[BATCH]) if BATCH in summary else None,
    )


def at_time(history: Iterable[Moment], time: datetime) -> Moment:
    """Return the newest moment that is not after a time."""
    known = list(history)
    before = [moment for moment in known if moment.committed_at <= time]
    if not before:
        raise _unknown(f"at {time.isoformat(' ', 'seconds')}", known)
    return before[-1]


def at_offset(history: Iterable[Moment], place: Place) -> Moment:
    """Return the newest moment at which nothing from a place in the log on had been read."""
    known = list(history)
    partition = str(place.partition)
    reading = [moment for moment in known if partition in moment.offsets.get(place.topic, {})]
    if not reading:
        raise Refusal(
            f"the view does not read partition {place.partition} of {place.topic}",
            detail=f"It reads: {', '.join(sorted(known[-1].offsets)) if known else 'nothing yet'}.",
        )
    before = [moment for moment in reading if moment.offsets[place.topic][partition] <= place.offset]
    if not before:
        raise _unknown(f"before offset {place.offset} of {place.topic}", known)
    return before[-1]


def _unknown(when: str, known: list[Moment]) -> Refusal:
    oldest = f"{known[0].committed_at.isoformat(' ', 'seconds')}" if known else "nothing has been written yet"
    return Refusal(
        f"nothing is known of the view {when}",
        detail=f"Its oldest snapshot: {oldest}.",
        hint="Ask for a later time, or replay the view from the log.",
    )
