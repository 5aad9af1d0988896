"""What to do about a table: a pure function of what can be seen of it.

    day          1      2      3      4      5      6      7 (the newest that it has)
    files     ┆  1  ┆   1  ┆   1  ┆ 2880 ┆ 2880 ┆ 2880 ┆  310
              └─ rewritten ───────┘└─ open: an event may still come so late ─┘

A live batch writes to open days only, so a rewrite of the others meets nobody. A table without days may be
written anywhere at any time: it is rewritten as a whole, seldom, and whoever of the two commits second begins
anew (`sinks.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlparse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How much is kept, and for how long."""

    # Days before a table's newest: an event may be a day late, and a row may begin a day before its event.
    open_days: int = 2
    few: int = 5  # small files that a closed day may have
    many: int = 50  # small files that a table without days may have
    manifests: int = 20  # files that list files: a reader opens each of them
    # The longest outage that is planned for: who was away for so long finds the past of a table as it was.
    history: timedelta = timedelta(days=3)
    # A file that nobody refers to may be that of a commit still on its way.
    stray: timedelta = timedelta(days=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """The files of a table that are read together."""

    day: date | None = None  # none if the table is not divided by time
    files: int  # small ones
    marks: int = 0  # files that mark rows of others as gone
    rows: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One commit to a table."""

    committed_at: datetime
    batch: bool  # of a streaming query, which finds out from it whether it was written before


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What can be seen of a table."""

    name: str
    location: str
    time: str | None = None  # the column by whose day it is divided
    partitions: tuple[Partition, ...] = ()
    manifests: int = 0
    snapshots: tuple[Snapshot, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Something to do about a table, and why, in words for people."""

    TITLE: ClassVar[str]

    subject: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite(Step):
    """Put the rows of many small files into few."""

    TITLE: ClassVar[str] = "rewrite"

    time: str | None = None  # the column by whose day the table is divided; all rows if there is none
    before: date | None = None
    rows: int = 0


class RewriteManifests(Step):
    """List the files of a table in few lists."""

    TITLE: ClassVar[str] = "rewrite manifests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expire(Step):
    """Let old snapshots go, and the files that only they need."""

    TITLE: ClassVar[str] = "expire"

    before: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep(Step):
    """Remove files that no snapshot refers to: those of batches that died before their commit."""

    TITLE: ClassVar[str] = "sweep"

    before: datetime


def plan(table: Table, now: datetime, policy: Policy, others: Collection[str] = ()) -> list[Step]:
    """Return what to do, in this order. `others` are the locations of what must not be swept away."""
    return [
        *_rewrite(table, policy),
        *_rewrite_manifests(table, policy),
        *_expire(table, now, policy),
        *_sweep(table, now, policy, others),
    ]


def _rewrite(table: Table, policy: Policy) -> Iterator[Step]:
    before = _open_since(table, policy)
    if table.time and before is None:
        return
    closed = [part for part in table.partitions if before is None or (part.day and part.day < before)]
    allowed = policy.few if table.time else policy.many
    crowded = [part for part in closed if max(part.files, part.marks) > allowed]
    if crowded:
        files = sum(part.files + part.marks for part in crowded)
        where = f"in {len(crowded)} partitions of closed days" if table.time else "in a table without days"
        yield Rewrite(
            subject=table.name,
            why=f"{files:,} small files {where}",
            time=table.time,
            before=before,
            rows=sum(part.rows for part in crowded),
        )


def _open_since(table: Table, policy: Policy) -> date | None:
    """Return the first day that a live batch may still write to.

    By the rows that are there, not by the clock: a query that was down for a week goes on with last week.
    """
    days = [part.day for part in table.partitions if part.day is not None]
    return max(days) - timedelta(days=policy.open_days) if days else None


def _rewrite_manifests(table: Table, policy: Policy) -> Iterator[Step]:
    if table.manifests > policy.manifests:
        yield RewriteManifests(subject=table.name, why=f"{table.manifests:,} lists of files")


def _expire(table: Table, now: datetime, policy: Policy) -> Iterator[Step]:
    """Keep what is younger than the longest outage, and the newest batch of the query, however old it is."""
    batches = [snapshot.committed_at for snapshot in table.snapshots if snapshot.batch]
    before = min([now - policy.history, max(batches, default=now)])
    old = [snapshot for snapshot in table.snapshots if snapshot.committed_at < before]
    present = max((snapshot.committed_at for snapshot in table.snapshots), default=now)
    if gone := [snapshot for snapshot in old if snapshot.committed_at < present]:
        yield Expire(
            subject=table.name, why=f"{len(gone):,} of {len(table.snapshots):,} snapshots", before=before
        )


def _sweep(table: Table, now: datetime, policy: Policy, others: Collection[str]) -> Iterator[Step]:
    """Sweep a place that is the table's own; one that holds anything else is left alone."""
    if not any(_overlap(table.location, other) for other in others):
        yield Sweep(subject=table.name, why="files that nobody refers to", before=now - policy.stray)


def _overlap(one: str, other: str) -> bool:
    """Say whether one place is the other, or lies in it; `file:/lake`, `file:///lake` and `/lake` are one."""
    places = (urlparse(place) for place in (one, other))
    first, second = (f"{place.netloc}{place.path.rstrip('/')}/" for place in places)
    return first.startswith(second) or second.startswith(first)
