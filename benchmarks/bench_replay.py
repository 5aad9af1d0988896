"""How fast replays are, and how they grow with the log: `make bench-replay [EVENTS="1000000 5000000"]`.

    log of N events ── raw read ── decode only ── rebuild and backfill of each view ── grows ── …

Everything is measured in the same run on the same log: read by a plain consumer (see `reading.py`), decoded
by Spark, rebuilt by a streaming query that catches up or at a seam, backfilled by the batch engine. What
counts is the share of the raw read, because machines differ and the shares of two numbers of one machine do
so less. The plain consumer reads a first time that is not counted, so that the log is in memory for all of
them. Every result is compared with rows that were found out without Spark (see `truth.py`); a wrong one has
no speed. A small log comes first and is not counted: the first run of everything compiles.

Results are kept by size, in a file: a size that was measured before stays until it is measured again, or
anything by other code or on another machine.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from rich.console import Console

from benchmarks.ground import own_instance
from benchmarks.growing_log import GrowingLog, growing_log
from benchmarks.reading import read_raw, read_raw_by_spark
from benchmarks.replay_results import Measure, Results
from benchmarks.truth import Truth
from benchmarks.watching import Cost, cost_of, this_process, this_process_and_spark, warm_cost_of
from headwater.replay.between import Between
from spark_apps import catalog
from spark_apps.backfill import Asked, backfill
from spark_apps.decode import decode
from spark_apps.session import CATALOG
from tests.rebuilds import rebuild_of
from tests.spark_fixture import platform_spark
from tests.streams import job_of, rows_of, run, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View
    from tests.streams import Log

    Work = Callable[[], object]

EVENTS = sorted(int(size) for size in os.environ.get("EVENTS", "1000000 5000000 20000000").split())
WARM_UP = int(os.environ.get("WARM_UP", "300000"))
MEMORY = "3g"
LOGS = {
    ("page_views",): ("page_views_per_minute", "user_sessions"),
    ("impressions", "clicks"): ("ad_clicks",),
}


def main() -> int:
    """Measure all sizes, and say whether the goals are met."""
    console, results = Console(), Results.load()
    with (
        own_instance("bench", "topics", "registry") as settings,
        platform_spark(settings, "benchmark", memory=MEMORY) as spark,
    ):
        benches = [bench(spark, settings, topics) for topics in LOGS]
        for events in (WARM_UP, *EVENTS):
            counts = events in EVENTS
            for each in benches:
                console.print(f"{events:,} events of {' and '.join(each.growing.log.topics)}")
                each.grow(events)
                for measure in each.measures():
                    console.print(f"  {measure}" if counts else f"  {measure} (compiles)", soft_wrap=True)
                    if counts:
                        results.add(measure)
    console.print(results.table())
    results.draw()
    for fault in (faults := results.faults()):
        console.print(fault)
    return 1 if faults else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A log, what views of it must hold, and all that is measured on it."""

    spark: SparkSession
    growing: GrowingLog
    truth: Truth
    views: tuple[str, ...]
    versions: dict[str, View] = field(default_factory=dict)  # by view, what was rebuilt last

    @property
    def log(self) -> Log:
        """Return the log as it is now."""
        return self.growing.log

    def grow(self, events: int) -> None:
        """Let the log hold so many events."""
        self.growing.grow(events)
        self.truth.follow()

    def measures(self) -> Iterator[Measure]:
        """Measure everything, one after the other."""
        yield self.measure("raw read", warm_cost_of(lambda: read_raw(self.log), this_process()))
        yield self.measure(
            "raw read by Spark", self.by_spark(lambda: read_raw_by_spark(self.spark, self.log))
        )
        yield self.measure("decode only", self.by_spark(self.decode))
        for name in self.views:
            for replay, prepare in REPLAYS.items():
                version, work = prepare(self, name)
                cost = self.by_spark(work)
                yield self.measure(f"{replay} {name}", cost, self.differences(name, version))

    def measure(self, what: str, cost: Cost, wrong: str = "") -> Measure:
        """Return what was seen, with the name of the log."""
        log = " and ".join(self.log.topics)
        return Measure(log=log, what=what, events=self.growing.events, wrong=wrong, cost=cost)

    def by_spark(self, work: Work) -> Cost:
        """Do some work with Spark, from a heap without anything of before."""
        self.spark.sparkContext._jvm.System.gc()
        return cost_of(work, this_process_and_spark())

    def decode(self) -> None:
        """Turn all records into events, and do nothing with them."""
        for topic in self.log.topics.values():
            decoded = decode(whole(self.spark, self.log, topic.name), topic)
            decoded.where("reason IS NULL").select("event").write.format("noop").mode("overwrite").save()

    def differences(self, name: str, version: View) -> str:
        """Compare a version with the truth."""
        found = self.truth.folder / "found"
        in_milliseconds(rows_of(self.spark, version)).write.mode("overwrite").parquet(str(found))
        return self.truth.differences(name, found)


def bench(spark: SparkSession, settings: Settings, topics: tuple[str, ...]) -> Bench:
    """Return an empty log for some views, and what knows their rows."""
    growing = growing_log(settings, topics, max(EVENTS))
    folder = Path(settings.home) / "truth" / topics[0]
    shutil.rmtree(folder, ignore_errors=True)
    return Bench(
        spark=spark, growing=growing, truth=Truth(log=growing.log, folder=folder), views=LOGS[topics]
    )


def rebuilt(bench: Bench, name: str) -> tuple[View, Work]:
    """Prepare a rebuild: a streaming query catches up with the whole log in one batch."""
    version = bench.versions[name] = bench.log.view(catalog.view(name))
    job = job_of(bench.spark, bench.log, version)
    return version, partial(run, bench.spark, job)


def rebuilt_at_a_seam(bench: Bench, name: str) -> tuple[View, Work]:
    """Prepare a rebuild that is cut in two: the batch engine up to a seam, a streaming query from there."""
    version = bench.log.view(catalog.view(name))
    job, *_late = rebuild_of(bench.spark, bench.log, version)
    return version, partial(run, bench.spark, job)


def backfilled(bench: Bench, name: str) -> tuple[View, Work]:
    """Prepare a backfill of all windows that are over: the version that was rebuilt loses their rows."""
    version = bench.versions[name]
    closed = bench.truth.closed_until(name, version.time)
    between = Between(first=bench.growing.start - timedelta(days=1), after=closed)
    starts = between.starts_of(version.window)
    gone = f"{version.time} >= :first AND {version.time} < :after"
    bench.spark.sql(
        f"DELETE FROM {CATALOG}.{version.table} WHERE {gone}",
        args={"first": starts.first, "after": starts.after},
    )
    asked, topics = Asked(between=between), bench.log.by_name()
    return version, partial(backfill, bench.spark, bench.log.settings, version, topics, asked)


# What is measured of each view: a further form of replay is one more line.
REPLAYS: dict[str, Callable[[Bench, str], tuple[View, Work]]] = {
    "rebuild": rebuilt,
    "rebuild at a seam": rebuilt_at_a_seam,
    "backfill": backfilled,
}


def in_milliseconds(rows: DataFrame) -> DataFrame:
    """Return rows with their times as numbers, which are the same in every engine."""
    return rows.select(
        *(
            F.unix_millis(field.name).alias(field.name)
            if field.dataType.typeName() == "timestamp"
            else F.col(field.name)
            for field in rows.schema.fields
        )
    )


if __name__ == "__main__":
    sys.exit(main())
