"""Everything at once, for a while: `make soak [MINUTES=15] [RATE=200] [CHANGES=2]`.

All apps run on an instance of their own while customers come, and rows of the database change, at a steady
rate. When every query has caught up
and has run a few batches, the minutes begin to count: lag, age of the newest record that a query has read,
and memory are looked at every few seconds, drawn into an image, and judged. None may be higher in the last
third than in the second one by more than noise.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import psutil
from rich.console import Console

from benchmarks.ground import own_instance
from headwater.errors import Refusal
from headwater.local.processes import processes_of_instance
from headwater.local.steps import STEPS
from headwater.observing import observe
from headwater.registry import connect

if TYPE_CHECKING:
    from headwater.settings import Settings

MINUTES = float(os.environ.get("MINUTES", "15"))
RATE = float(os.environ.get("RATE", "200"))
CHANGES = float(os.environ.get("CHANGES", "2"))
IMAGE = Path(os.environ.get("IMAGE", "docs/images/soak.png"))
EVERY_SECONDS = 5.0
EVERYTHING_BUT_THE_SHOP = [name for name, _ in STEPS if name != "shop"]
WARM_BATCHES, LONGEST_WARM_UP = 3, 12.0  # minutes
LAG_NOISE, MEMORY_NOISE = 1.5, 1.1


@dataclass(slots=True)
class Samples:
    """What was seen, one entry per look."""

    minutes: list[float] = field(default_factory=list)
    lag: dict[str, list[int]] = field(default_factory=dict)
    behind: dict[str, list[float]] = field(default_factory=dict)
    memory: list[float] = field(default_factory=list)  # gigabytes
    cores: list[float] = field(default_factory=list)

    def look(self, settings: Settings, minute: float) -> None:
        """Look once."""
        self.minutes.append(minute)
        for status in observe(settings):
            if status.query == "cold_log" or ".late." in status.query:
                continue
            self.lag.setdefault(status.query, []).append(status.lag or 0)
            self.behind.setdefault(status.query, []).append(
                status.behind.total_seconds() if status.behind else 0.0
            )
        self.memory.append(memory_of(settings))
        self.cores.append(psutil.cpu_percent() / 100 * (psutil.cpu_count() or 1))

    def growing(self) -> list[str]:
        """Name what was higher at the end than in the middle."""
        found = [
            f"lag of {query}: {middle:,.0f}, then {end:,.0f} records"
            for query, lags in self.lag.items()
            for middle, end in [_thirds(lags)]
            if end > LAG_NOISE * middle + (RATE + CHANGES) * EVERY_SECONDS
        ]
        middle, end = _thirds(self.memory)
        return found + ([f"memory: {middle:.2f}, then {end:.2f} GB"] if end > MEMORY_NOISE * middle else [])


def main() -> int:
    """Run it, draw it, judge it."""
    console = Console()
    with own_instance("soak", *EVERYTHING_BUT_THE_SHOP) as settings:
        samples = watched(settings, console)
    draw(samples)
    console.print(
        f"{IMAGE}: {len(samples.minutes)} looks, memory {_thirds(samples.memory)[1]:.2f} GB, ", end=""
    )
    console.print(f"{median(samples.cores):.1f} cores")
    for fault in (growing := samples.growing()):
        console.print(f"growing: {fault}")
    return 1 if growing else 0


def watched(settings: Settings, console: Console) -> Samples:
    """Let customers come, and look."""
    command = [sys.executable, "-m", "headwater.cli", "simulate"]
    command += ["--rate", str(RATE), "--changes", str(CHANGES), "--minutes", str(MINUTES + LONGEST_WARM_UP)]
    customers = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    samples = Samples()
    try:
        console.print(f"warm after {warmed_up(settings, customers):.1f} minutes")
        began = time.monotonic()
        while customers.poll() is None and (minute := (time.monotonic() - began) / 60) < MINUTES:
            samples.look(settings, minute)
            lags = {query: lags[-1] for query, lags in samples.lag.items()}
            worst = max(lags, key=lambda query: lags[query], default="")
            console.print(
                f"{minute:5.1f} min  memory {samples.memory[-1]:.2f} GB  cores {samples.cores[-1]:.1f}  "
                f"largest lag {lags.get(worst, 0):,} ({worst})"
            )
            time.sleep(EVERY_SECONDS)
    finally:
        customers.terminate()
        customers.wait()
    return samples


def warmed_up(settings: Settings, customers: subprocess.Popen[bytes]) -> float:
    """Wait until every query is live and has run a few batches, or for long enough; return the minutes."""
    began = time.monotonic()
    while (minutes := (time.monotonic() - began) / 60) < LONGEST_WARM_UP:
        with connect(settings) as registry:
            cold = registry.execute(
                "SELECT FROM heartbeats WHERE phase <> 'live' OR coalesce(batch_id, 0) < %s", [WARM_BATCHES]
            ).rowcount
        if customers.poll() is not None:
            raise Refusal("the simulated customers have gone", hint="What they said stands above.")
        if minutes > 1 and not cold:
            break
        time.sleep(EVERY_SECONDS)
    return minutes


def memory_of(settings: Settings) -> float:
    """Return the memory of all processes of the instance, shared pages divided among those who share."""
    total = 0
    for pid in processes_of_instance(Path(settings.home)):
        try:
            total += psutil.Process(pid).memory_full_info().pss
        except psutil.Error:  # it has ended meanwhile
            continue
    return total / 1e9


def draw(samples: Samples) -> None:
    """Draw lag, age and memory over time."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (lag, behind, memory) = plt.subplots(3, 1, sharex=True, figsize=(10, 9), layout="constrained")
    for axes, lines in ((lag, samples.lag), (behind, samples.behind)):
        for query, values in lines.items():
            axes.plot(samples.minutes[-len(values) :], values, label=query, linewidth=1)
    memory.plot(samples.minutes, samples.memory, color="black")
    for axes, title in ((lag, "lag, records"), (behind, "behind, seconds"), (memory, "memory, GB")):
        axes.set_ylabel(title)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
    memory.set_xlabel("minutes")
    lag.set_title(f"all views at {RATE:g} events and {CHANGES:g} changed rows a second")
    behind.legend(fontsize=6, ncols=3)
    IMAGE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(IMAGE, dpi=110)


def _thirds(values: list[float] | list[int]) -> tuple[float, float]:
    """Return the median of the second and of the last third."""
    third = max(len(values) // 3, 1)
    return median(values[third : 2 * third] or values), median(values[-third:])


if __name__ == "__main__":
    sys.exit(main())
