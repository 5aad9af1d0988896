"""What a verification has found: the rows that are served against those that the log gives, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from headwater.replay.proof import DifferentRow

MOST_ROWS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The rows that a version serves against those that a replay of the same records makes."""

    view: str
    label: str
    how: str  # what was replayed and compared, a sentence
    counts: Mapping[str, int]  # rows by verdict, as `spark_apps/matching.py` says it
    samples: tuple[DifferentRow, ...] = ()
    remarks: tuple[str, ...] = ()  # what a reader of the verdict should know, a sentence each

    @property
    def compared(self) -> int:
        """How many rows there were to compare."""
        return sum(self.counts.values())

    @property
    def differing(self) -> int:
        """How many of them are not the same on both sides."""
        return self.compared - self.counts.get("equal", 0)

    @property
    def verdict(self) -> str:
        """Say in a few words what was found."""
        if not self.compared:
            return f'view "{self.view}": there was no row to compare'
        if self.differing:
            return f'view "{self.view}" serves other rows than the log gives'
        return f'view "{self.view}" serves what the log gives'

    def text(self) -> str:
        """Tell all of it, the verdict first."""
        return "\n".join([f"{self.verdict} ({self.label})", self.how, *self.remarks, *self.figures()])

    def figures(self) -> Iterable[str]:
        """Tell how many rows, and some of those that differ."""
        equal, different, served, replayed = (
            f"{self.counts.get(verdict, 0):,}"
            for verdict in ("equal", "different", "only_live", "only_candidate")
        )
        yield f"Rows: {equal} equal, {different} different, {served} only served, {replayed} only replayed."
        yield from (_sample(row) for row in self.samples[:MOST_ROWS])
        if self.differing > MOST_ROWS:
            yield f"  … and {self.differing - MOST_ROWS:,} more"


def times(first: datetime, after: datetime) -> str:
    """Write a stretch of time."""
    return f"{first:%Y-%m-%d %H:%M:%S} to {after:%Y-%m-%d %H:%M:%S} UTC"


def _sample(row: DifferentRow) -> str:
    key = " ".join(f"{name}={value}" for name, value in row.keys.items())
    return printable(f"  {key}: served {_side(row, row.live)}; replayed {_side(row, row.candidate)}")


def _side(row: DifferentRow, side: Mapping[str, str] | None) -> str:
    if side is None:
        return "no row"
    return ", ".join(f"{name}={value}" for name, value in side.items() if name not in row.keys) or "the row"
