"""The figures of `bench_replay`: kept, held against the goals, drawn."""

from __future__ import annotations

import math
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from benchmarks.figures import keep, kept
from benchmarks.lines import slope
from benchmarks.watching import Cost

if TYPE_CHECKING:
    from collections.abc import Iterable

IMAGE = Path(os.environ.get("IMAGE", "docs/images/replay-speed.png"))
RAW = "raw read"
# Shares of the raw read.
GOALS = {
    "rebuild page_views_per_minute": 0.55,
    "backfill page_views_per_minute": 0.65,
    "rebuild ad_clicks": 0.20,
}
STEEPEST = 1.05  # seconds grow like N to the power of this, at most
FLAT = 1.25  # so many times the memory of the next smaller size is still the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What was seen once."""

    log: str
    what: str
    events: int
    wrong: str  # how its rows differ from the truth
    cost: Cost

    @property
    def speed(self) -> float:
        """Return the events a second; none if the result is wrong."""
        return 0.0 if self.wrong else self.events / self.cost.seconds

    @property
    def cpu_per_million(self) -> float:
        """Return the seconds of processors for a million events."""
        return self.cost.cpu_seconds / self.events * 1e6

    def __str__(self) -> str:
        return (
            f"{self.what:<34} {self.speed:>9,.0f} events/s  {self.cpu_per_million:6.1f} CPU s/million  "
            f"{self.cost.peak_gigabytes:5.2f} GB  {self.wrong}"
        )


@dataclass(slots=True)
class Results:
    """All figures, by log, size and what was done."""

    measures: dict[tuple[str, int, str], Measure] = field(default_factory=dict)

    @classmethod
    def load(cls) -> Results:
        """Read the figures of sizes that were measured before."""
        results = cls()
        for each in kept("replay"):
            results._put(Measure(**{**each, "cost": Cost(**each["cost"])}))
        return results

    def add(self, measure: Measure) -> None:
        """Add a figure, and keep all."""
        self._put(measure)
        keep("replay", asdict(measure), "log", "events", "what")

    def share(self, measure: Measure) -> float:
        """Return the speed as a share of the raw read of the same log."""
        raw = self.measures.get((measure.log, measure.events, RAW))
        return measure.speed / raw.speed if raw else math.nan

    def exponent(self, log: str, what: str) -> float:
        """Return with which power of the number of events the seconds grow."""
        return slope([(math.log(m.events), math.log(m.cost.seconds)) for m in self._of(log, what)])

    def faults(self) -> list[str]:
        """Say what is wrong, too slow, too steep or too large."""
        found = [f"{m.what}, {m.events:,} events: {m.wrong}" for m in self.measures.values() if m.wrong]
        for log, what in self._lines():
            found += self._faults_of(log, what)
        return found

    def table(self) -> Table:
        """Return all figures as people read them."""
        table = Table("log", "what", "events", "events/s", "share", "CPU s/million", "peak GB", "exponent")
        for log, what in self._lines():
            for measure in self._of(log, what):
                table.add_row(
                    log,
                    what,
                    f"{measure.events:,}",
                    measure.wrong or f"{measure.speed:,.0f}",
                    f"{self.share(measure):.0%}",
                    f"{measure.cpu_per_million:.1f}",
                    f"{measure.cost.peak_gigabytes:.2f}",
                    f"{self.exponent(log, what):.2f}",
                )
        return table

    def draw(self) -> None:
        """Draw speed and memory over the number of events."""
        import matplotlib as mpl

        mpl.use("Agg")
        from matplotlib import pyplot as plt

        figure, (speed, memory) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
        for log, what in self._lines():
            line = self._of(log, what)
            sizes = [measure.events for measure in line]
            speed.plot(sizes, [measure.speed for measure in line], marker="o", label=f"{what} ({log})")
            memory.plot(sizes, [measure.cost.peak_gigabytes for measure in line], marker="o")
        for axes, title in ((speed, "events a second"), (memory, "peak memory, GB")):
            axes.set(xscale="log", xlabel="events in the log", ylabel=title, ylim=(0, None))
            axes.grid(alpha=0.3)
        speed.legend(fontsize=6)
        IMAGE.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(IMAGE, dpi=110)

    def _put(self, measure: Measure) -> None:
        self.measures[measure.log, measure.events, measure.what] = measure

    def _lines(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys((log, what) for log, _events, what in self.measures))

    def _of(self, log: str, what: str) -> list[Measure]:
        found = [m for m in self.measures.values() if (m.log, m.what) == (log, what)]
        return sorted(found, key=lambda measure: measure.events)

    def _faults_of(self, log: str, what: str) -> Iterable[str]:
        line, wanted = self._of(log, what), GOALS.get(what, 0.0)
        largest = line[-1]
        if self.share(largest) < wanted:
            yield f"{what}: {self.share(largest):.0%} of the raw read, not {wanted:.0%}"
        if (exponent := self.exponent(log, what)) > STEEPEST:
            yield f"{what}: grows like N to the power of {exponent:.2f}"
        before = line[-2].cost.peak_gigabytes if len(line) > 1 else math.inf
        if largest.cost.peak_gigabytes > FLAT * before:
            yield f"{what}: memory grows, from {before:.2f} GB to {largest.cost.peak_gigabytes:.2f}"
