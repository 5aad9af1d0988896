"""How fast each view replays, as a share of reading the same log raw: `make bench-views [EVENTS=1000000]`.

Every view gets a seeded log of its own inputs. It is read once by a plain consumer, once by Spark with
nothing done to it, and once by the view: a fresh version, catching up in one batch, rows committed. All in
the same run, because machines differ and the shares of two numbers of one machine do so less. The consumer is
what a view is held against; Spark's own reading is what no view can exceed. Everybody reads twice, and the
faster one counts: the first one finds the log on the disk, and compiles.

Figures are kept by view and size in docs/figures/views.json.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from rich.console import Console

from benchmarks.figures import keep
from benchmarks.ground import own_instance
from benchmarks.reading import fastest, seconds_to_read, seconds_to_read_by_spark
from benchmarks.view_speeds import Speed, faults, table, wanted_of
from headwater.shop import Simulation
from headwater.shop.streams import STREAMS
from spark_apps import catalog
from tests.deciding import CARTS, deciding
from tests.spark_fixture import platform_spark
from tests.streams import Log, job_of, new_log, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View

EVENTS = int(os.environ.get("EVENTS", "1000000"))
DAY = timedelta(days=1)


def main() -> int:
    """Measure every view, and say whether each is fast enough."""
    console = Console()
    asked = [catalog.view(name) for name in sys.argv[1:]] or list(catalog.views().values())
    speeds = []
    for view, why in skipped(asked).items():
        console.print(f"{view} is not measured: {why}", highlight=False, soft_wrap=True)
    with (
        own_instance("bench", "topics", "registry") as settings,
        platform_spark(settings, "benchmark", memory="3g") as spark,
    ):
        for names, views in by_inputs(asked).items():
            for speed in measured(spark, loaded(spark, settings, names), views):
                speeds.append(speed)
                keep("views", {**asdict(speed), "share": round(speed.share, 3)}, "view", "log")
                console.print(str(speed))
    console.print(table(speeds))
    for fault in faults(speeds):
        console.print(f"too slow: {fault}")
    return 1 if faults(speeds) else 0


def measured(spark: SparkSession, log: Log, views: Iterable[View]) -> Iterator[Speed]:
    """Measure views that share a log."""
    events = sum(sum(log.ends(topic.name).values()) for topic in log.topics.values())
    raw = events / fastest(partial(seconds_to_read, log))
    by_spark = events / fastest(partial(seconds_to_read_by_spark, spark, log))
    for view in views:
        replayed = events / fastest(partial(seconds_to_replay, spark, log, view))
        yield Speed(
            view=view.name,
            log=EVENTS,
            events=events,
            raw=round(raw),
            by_spark=round(by_spark),
            replayed=round(replayed),
            wanted=wanted_of(view),
        )


def by_inputs(asked: Iterable[View]) -> dict[tuple[str, ...], list[View]]:
    """Return the views of events by what they read: those with the same inputs share a log."""
    groups: dict[tuple[str, ...], list[View]] = {}
    for view in asked:
        if not view.of_tables:
            groups.setdefault(tuple(sorted(view.reads)), []).append(view)
    return groups


def skipped(asked: Iterable[View]) -> dict[str, str]:
    """Return the views that are not measured, and why."""
    why = "it is of tables alone, and has no log of events; `make bench-changes` measures such a one"
    return {view.name: why for view in asked if view.of_tables}


def loaded(spark: SparkSession, settings: Settings, names: tuple[str, ...]) -> Log:
    """Return a log of the given topics; what views and deciders write to is written by them."""
    outputs = [view for view in catalog.views().values() if view.publishes and view.publishes.topic in names]
    of_carts = set(CARTS) if set(names) & set(CARTS) else set()
    streams = {name for view in outputs for name in view.reads} | ((set(names) | of_carts) & STREAMS.keys())
    log = new_log(settings, *sorted(streams | set(names) | of_carts))
    past = Simulation(seed=5, rate=EVENTS / DAY.total_seconds(), start=datetime.now(UTC) - DAY, count=EVENTS)
    for _ in log.slices(past, EVENTS):
        pass
    if of_carts:
        with deciding(log) as decided:
            decided()
    for view in outputs:
        run(spark, job_of(spark, log, log.view(view), publish=True))
    return Log(settings=settings, topics={name: log.topics[name] for name in names}, suffix=log.suffix)


def replay(spark: SparkSession, log: Log, view: View) -> tuple[View, float]:
    """Replay a view into a fresh version, and return that and the seconds it took."""
    version = log.view(view)
    job = job_of(spark, log, version)
    began = time.monotonic()
    run(spark, job)
    return version, time.monotonic() - began


def seconds_to_replay(spark: SparkSession, log: Log, view: View) -> float:
    """Return how long a replay takes."""
    return replay(spark, log, view)[1]


if __name__ == "__main__":
    sys.exit(main())
