"""Which records it takes to compute the windows of a stretch of time once more.

    windows                  first [ · · · · · · · · · · ) after
    records   since | look-back |                        | settles | end

They begin by a look-back before the first window: rows may be made of events before their own time, and a
repeat is known by its original. They end where no record of these windows can come any more, and never behind
what the live query has read: what it has not heard of is its own to tell.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

from headwater.bounds import CELL
from headwater.replay.request import EARLIEST
from headwater.replay.starting import resolve, seam

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kafka import KafkaAdminClient

    from headwater.replay.between import Between
    from headwater.replay.starting import Stretch
    from headwater.settings import Settings

    Reached = Mapping[str, Mapping[str, int]]  # by topic and partition


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingredients:
    """What the rows of a view are made of."""

    inputs: tuple[str, ...]
    tables: tuple[str, ...]
    look_back: timedelta
    settles: timedelta | None  # how long after a window records of it may come; None: for ever

    @classmethod
    def read(cls, manifest: Mapping[str, Any]) -> Self:
        """Read them from a view's entry of a manifest."""
        settles = manifest["settles_seconds"]
        return cls(
            inputs=tuple(manifest["inputs"]),
            tables=tuple(manifest["tables"]),
            look_back=timedelta(seconds=manifest["look_back_seconds"]),
            settles=None if settles is None else timedelta(seconds=settles),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """The records that are needed, and why they may not be had."""

    stretches: tuple[Stretch, ...]
    held: tuple[Stretch, ...]  # the same partitions, up to the end of the log
    refusals: tuple[str, ...]

    def by_topic(self, offset: str) -> dict[str, dict[int, int]]:
        """Return where to begin (`asked`) or to `end`, by topic and partition."""
        found: dict[str, dict[int, int]] = {}
        for stretch in self.stretches:
            found.setdefault(stretch.topic, {})[stretch.partition] = getattr(stretch, offset)
        return found


def needed(
    settings: Settings, client: KafkaAdminClient, of: Ingredients, windows: Between, reached: Reached
) -> Needed:
    """Return the records that windows are made of, of those that the live query has reached."""
    since = (windows.first - of.look_back - CELL).isoformat()
    events = resolve(settings, client, of.inputs, since)
    # What is true at some time was said long before: a table is always read as a whole.
    held = [*events, *resolve(settings, client, of.tables, EARLIEST, superseded=bool(of.inputs))]
    settled = _settled(settings, client, of, windows)
    whole_from = seam(settings, since, events, of.look_back + CELL)
    refusals = [stretch.refusal for stretch in held if stretch.refusal]
    if not refusals and whole_from is not None and whole_from > windows.first:
        refusals.append(
            f"Neither Kafka nor the cold log holds all records: windows are whole from {whole_from} on."
        )
    return Needed(
        stretches=tuple(replace(part, end=_end(part, reached, settled)) for part in held),
        held=tuple(held),
        refusals=tuple(refusals),
    )


def _settled(
    settings: Settings, client: KafkaAdminClient, of: Ingredients, windows: Between
) -> Mapping[tuple[str, int], int]:
    """Return the offsets at which nothing of the windows can come any more, where that can be told."""
    if of.settles is None or windows.after > datetime.now(UTC):
        return {}
    # Collectors may disagree about the time by a little.
    late = (windows.after + of.settles + CELL).isoformat()
    found: Sequence[Stretch] = resolve(settings, client, of.inputs, late)
    return {(part.topic, part.partition): part.asked for part in found}


def _end(part: Stretch, reached: Reached, settled: Mapping[tuple[str, int], int]) -> int:
    read = reached.get(part.topic, {}).get(str(part.partition), part.asked)
    return max(part.asked, min(read, settled.get((part.topic, part.partition), read)))
