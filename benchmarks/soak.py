"""Everything at once, for a while: `make soak [MINUTES=15] [RATE=200] [CHANGES=2]`.

All apps run on an instance of their own while customers come, and rows of the database change, at a steady
rate. When every query has caught up and has run a few batches, the minutes begin to count: lag, age of the
newest record that a query has read, and memory are looked at every few seconds, drawn into an image, judged
(`steadiness.py` says by which rules), and kept in docs/figures/soak.json.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from benchmarks.figures import keep
from benchmarks.ground import own_instance
from benchmarks.looking import CAPTURED, CHANGED, EVENT_TOPICS, EVENTS, SERVICES, look
from benchmarks.steadiness import Look, Soak, faults, figures
from headwater.errors import Refusal
from headwater.local.steps import STEPS
from headwater.observing import observe
from headwater.shop import STREAMS
from spark_apps import archiving, catalog
from spark_apps.jobs import UNHURRIED

if TYPE_CHECKING:
    from headwater.settings import Settings
    from spark_apps.view import View

    Customers = subprocess.Popen[bytes]

MINUTES = float(os.environ.get("MINUTES", "15"))
RATE = float(os.environ.get("RATE", "200"))
CHANGES = float(os.environ.get("CHANGES", "2"))
IMAGE = Path(os.environ.get("IMAGE", "docs/images/soak.png"))
EVERY_SECONDS = min(5.0, 2 * MINUTES)  # a short soak needs its looks as well
EVERYTHING_BUT_THE_SHOP = [name for name, _ in STEPS if name != "shop"]
SHORTEST_WARM_UP, LONGEST_WARM_UP = 1.0, 12.0  # minutes
WARM_BATCHES = 3
SPARE_MINUTES = 2.0  # the customers stay a little longer than anybody looks


def main() -> int:
    """Run it, draw it, judge it."""
    console = Console()
    with own_instance("soak", *EVERYTHING_BUT_THE_SHOP) as settings:
        soak = watched(settings, console)
    draw(soak)
    found = figures(soak)
    keep("soak", {"rate": RATE, "changes": CHANGES, **found}, "rate", "changes", "minutes")
    memory, cores = found["memory_gigabytes"], found["cores"]
    console.print(f"{IMAGE}: {len(soak.looks)} looks, {cores} cores, memory in GB: {memory}")
    for fault in faults(soak):
        console.print(f"fault: {fault}", highlight=False, soft_wrap=True)
    return 1 if faults(soak) else 0


def wanted() -> Soak:
    """Return what has to happen, before anything has."""
    weights = {name: stream.weight for name, stream in STREAMS.items()}
    events = RATE * sum(weights[name] for name in EVENT_TOPICS) / sum(weights.values())
    return Soak(
        minutes=MINUTES,
        rates={EVENTS: events, CHANGED: CHANGES, CAPTURED: CHANGES},
        queries={archiving.NAME: UNHURRIED.total_seconds()}
        | {query: pace for view in catalog.views().values() for query, pace in queries_of(view).items()},
        goals={view.query: view.freshness.total_seconds() for view in catalog.views().values()},
        services=dict.fromkeys(SERVICES, EVERY_SECONDS),
    )


def queries_of(view: View) -> dict[str, float]:
    """Return the queries that keep a view, and how many seconds are between their looks for news."""
    apart = view.inputs if view.late == "separate" else ()
    late = {f"{view.query}.late.{topic}": UNHURRIED.total_seconds() for topic in apart}
    return {view.query: view.trigger.total_seconds(), **late}


def watched(settings: Settings, console: Console) -> Soak:
    """Let customers come, and look."""
    command = [sys.executable, "-m", "headwater.cli", "simulate", "--rate", str(RATE)]
    command += ["--changes", str(CHANGES), "--minutes", str(LONGEST_WARM_UP + MINUTES + SPARE_MINUTES)]
    customers = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    soak, looks, ended = wanted(), list[Look](), ""
    try:
        soak = replace(soak, cold=warm_up(settings, soak, customers, console))
        watch(settings, customers, looks, console)
    except Refusal as refusal:  # what was seen until now is drawn and judged
        ended = f"{refusal.primary} {refusal.detail or ''}".strip()
    finally:
        customers.terminate()
        customers.wait()
    return replace(soak, looks=looks, ended=ended)


def warm_up(settings: Settings, soak: Soak, customers: Customers, console: Console) -> list[str]:
    """Wait until every query is live and has run a few batches, or for long enough; return which have not."""
    began = time.monotonic()
    while True:
        refuse_without(customers)
        minutes, cold = (time.monotonic() - began) / 60, cold_queries(settings, soak)
        if minutes > LONGEST_WARM_UP or (minutes > SHORTEST_WARM_UP and not cold):
            console.print(f"{len(cold)} queries are cold after {minutes:.1f} minutes")
            return cold
        time.sleep(EVERY_SECONDS)


def cold_queries(settings: Settings, soak: Soak) -> list[str]:
    """Return the queries that are not live, or have run too few batches; of the unhurried, one is enough."""
    unhurried = UNHURRIED.total_seconds()
    ran = {status.query: status.batch or 0 for status in observe(settings) if status.state == "live"}
    needed = {query: 1 if pace >= unhurried else WARM_BATCHES for query, pace in soak.queries.items()}
    return [query for query, batches in needed.items() if ran.get(query, 0) < batches]


def watch(settings: Settings, customers: Customers, looks: list[Look], console: Console) -> None:
    """Look every few seconds, for as many minutes as are wanted."""
    began = time.monotonic()
    while (minute := (time.monotonic() - began) / 60) < MINUTES:
        refuse_without(customers)
        seen = look(settings, minute)
        looks.append(seen)
        worst = max(seen.lag, key=lambda name: seen.lag[name] or 0, default="nobody")
        console.print(
            f"{minute:5.1f} min  memory {seen.memory:.2f} GB  cores {seen.cores:.1f}  "
            f"largest lag {seen.lag.get(worst)} ({worst})"
        )
        time.sleep(EVERY_SECONDS)


def refuse_without(customers: Customers) -> None:
    """Refuse to go on when nobody comes any more."""
    if (code := customers.poll()) is not None:
        raise Refusal(
            "the simulated customers have gone",
            detail=f"(exit code {code})",
            hint="What they said stands above.",
        )


def draw(soak: Soak) -> None:
    """Draw lag, age and memory over time."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (lag, behind, memory) = plt.subplots(3, 1, sharex=True, figsize=(10, 9), layout="constrained")
    minutes = soak.minutes_of_looks
    for axes, lines in ((lag, soak.lags), (behind, soak.ages)):
        for name, values in lines.items():
            known = [float("nan") if value is None else value for value in values]
            axes.plot(minutes, known, label=name, linewidth=1)
    memory.plot(minutes, soak.memory, color="black")
    for axes, title in ((lag, "lag, records"), (behind, "behind, seconds"), (memory, "memory, GB")):
        axes.set_ylabel(title)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
    memory.set_xlabel("minutes")
    lag.set_title(f"all views at {RATE:g} events and {CHANGES:g} changed rows a second")
    behind.legend(fontsize=6, ncols=3)
    IMAGE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(IMAGE, dpi=110)


if __name__ == "__main__":
    sys.exit(main())
