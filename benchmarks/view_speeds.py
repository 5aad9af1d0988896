"""The speeds of `bench_views`: held against what is wanted of each kind of view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spark_apps.view import View

# Shares of the raw read: of a view that counts in windows without overlap, and of any other.
TUMBLING, ANY = 0.40, 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """How fast a view replays its log, and others read it: events a second."""

    view: str
    log: int  # how many events were asked for
    events: int  # how many its inputs had
    raw: float
    by_spark: float
    replayed: float
    wanted: float

    @property
    def share(self) -> float:
        """Return the speed as a share of the raw read."""
        return self.replayed / self.raw

    def __str__(self) -> str:
        return "  ".join(self.cells)

    @property
    def cells(self) -> tuple[str, ...]:
        """Return it as people read it."""
        counts = (f"{each:,.0f}" for each in (self.events, self.raw, self.by_spark, self.replayed))
        shares = (f"{each:.0%}" for each in (self.share, self.wanted, self.replayed / self.by_spark))
        return (self.view, *counts, *shares)


def wanted_of(view: View) -> float:
    """Return the least share of the raw read that is enough for a view."""
    return TUMBLING if view.tumbles else ANY


def faults(speeds: Iterable[Speed]) -> list[str]:
    """Say which views are too slow."""
    return [
        f"{speed.view}: {speed.share:.0%} of the raw read, not {speed.wanted:.0%}"
        for speed in speeds
        if speed.share < speed.wanted
    ]


def table(speeds: Iterable[Speed]) -> Table:
    """Return all speeds as people read them."""
    reads = ("raw, events/s", "raw by Spark", "replay, events/s")
    found = Table("view", "events", *reads, "share", "wanted", "of Spark")
    for speed in speeds:
        found.add_row(*speed.cells)
    return found
