"""Running views in a test: a log of its own, the real jobs, and the batch engine as the oracle."""

from __future__ import annotations

import json
import re
import threading
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import Row
from pyspark.sql import functions as F

from headwater import offsets
from headwater.brokers import admin_client
from headwater.people import keyring
from headwater.shop import Counts, Simulation, records, simulate
from headwater.shop.loading import load
from headwater.shop.progress import Progress
from headwater.shop.streams import STREAMS
from headwater.topics import load_topics
from headwater.topics.applying import apply
from headwater.topics.plan import plan
from spark_apps import histories, pipeline, stitched_log
from spark_apps.archiving import archive_job
from spark_apps.jobs import Job, view_job
from spark_apps.kafka_log import read_range
from spark_apps.query import Query
from spark_apps.session import CATALOG
from spark_apps.voice import Standing
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import DataFrame, SparkSession

    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.view import View


AT_ONCE = 4  # threads: planning takes one core of two, and much of the rest is waiting
STOP_SECONDS = 60


class Crash(Exception):
    """A driver that dies."""


def anybody_may_write() -> None:
    """Stand in for the lease where a test has only one driver."""


def side_by_side(work: Callable[[Any], Any], things: Iterable[Any]) -> list[Any]:
    """Do the same with several things at once."""
    with ThreadPoolExecutor(AT_ONCE) as threads:
        return list(threads.map(work, things))


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """Topics of its own, shaped like those of the shop; most tests need page views only."""

    settings: Settings
    topics: dict[str, Topic]  # by the name they have in the shop
    suffix: str = ""

    @property
    def topic(self) -> Topic:
        """Return the topic of page views."""
        return self.topics["page_views"]

    def load(self, simulation: Simulation) -> None:
        """Write what a simulation sends to these topics."""
        streams = tuple(name for name in self.topics if name in STREAMS)
        own = replace(simulation, streams=streams, suffix=self.suffix)
        simulate(self.settings, own, report=lambda _: None)

    def slices(self, simulation: Simulation, *sizes: int) -> Iterator[None]:
        """Write what a simulation of all that the shop does sends, so many records at a time."""
        streams = tuple(name for name in simulation.streams if name in self.topics)
        own = replace(simulation, streams=streams, suffix=self.suffix)
        with keyring(self.settings) as keys:
            coming = records(own, seal=cache(keys.seal))
            for size in sizes:
                counts = Counts()
                load(self.settings, islice(coming, size), counts, Progress(counts, print), threading.Event())
                yield

    def ends(self, topic: str | None = None) -> dict[int, int]:
        with admin_client(self.settings, "apps") as client:
            return offsets.ends(client, topic or self.topic.name)

    def view(self, view: View) -> View:
        """Return the view on this log, with a table and a checkpoint of its own at each call."""
        own: dict[str, Any] = {"name": f"{view.name}_{uuid.uuid4().hex[:8]}"}
        for part in ("inputs", "tables"):
            own[part] = tuple(self.topics[name].name for name in getattr(view, part))
        own["touches"] = {
            self.topics[name].name: self._of_this_log(sql) for name, sql in view.touches.items()
        }
        if view.publishes and view.publishes.topic in self.topics:
            own["publishes"] = replace(view.publishes, topic=self.topics[view.publishes.topic].name)
        return replace(view, **own)

    def _of_this_log(self, sql: str) -> str:
        """Return SQL that names this log's tables."""
        for name, topic in self.topics.items():
            sql = re.sub(rf"\b{name}\b", topic.name, sql)
        return sql

    def by_name(self) -> dict[str, Topic]:
        return {topic.name: topic for topic in self.topics.values()}


def new_log(settings: Settings, *names: str) -> Log:
    """Make topics of a test's own: for page views, unless others are named."""
    suffix = f"_{uuid.uuid4().hex[:8]}"
    declared = load_topics()
    topics = {
        name: declared[name].model_copy(update={"name": f"{name}{suffix}"})
        for name in names or ("page_views",)
    }
    apply(settings, plan(settings, {topic.name: topic for topic in topics.values()}))
    return Log(settings=settings, topics=topics, suffix=suffix)


def forget_newest_commit(checkpoint: str) -> None:
    """Leave what a driver leaves that dies after its sink has committed and before Spark notes it."""
    commits = [path for path in Path(checkpoint, "commits").iterdir() if path.name.isdigit()]
    newest = max(commits, key=lambda path: int(path.name))
    newest.unlink()
    newest.with_name(f".{newest.name}.crc").unlink(missing_ok=True)


def job_of(
    spark: SparkSession, log: Log, view: View, *, publish: bool = False, standing: Standing | None = None
) -> Job:
    """Return the job of a version; of one that is to publish, as if no other had ever been live."""
    if publish:
        standing = Standing(live=lambda: True, tables=lambda: [view.table])
    partitions = {name: sorted(log.ends(name)) for name in view.reads}
    return view_job(spark, log.settings, view, log.by_name(), partitions, standing=standing)


def run(
    spark: SparkSession,
    *jobs: Job,
    most: int | None = None,
    guard: Callable[[], None] = anybody_may_write,
) -> None:
    """Run jobs side by side over what their log holds now."""
    queries = [Query(spark, job, guard) for job in jobs]
    side_by_side(lambda query: query.catch_up(most), queries)
    for query in queries:
        query.wait()


@contextmanager
def following(spark: SparkSession, job: Job) -> Iterator[Query]:
    """Run a job as an app does: it catches up, and then follows the log, one batch after the other."""
    query = Query(spark, replace(job, trigger=timedelta(0)), anybody_may_write)
    query.catch_up()
    try:
        wait_while_running(query, f"{job.name} is live", lambda: query.phase == "live")
        yield query
    finally:
        query.stop(STOP_SECONDS)


def wait_while_running(query: Query, what: str, reached: Callable[[], bool]) -> None:
    """Wait for something that a query brings about; raise what stops it."""

    def looked() -> bool:
        query.tick()
        return reached()

    wait_for(what, looked)


def archive(spark: SparkSession, log: Log, *, most: int | None = None) -> Job:
    """Run the archive of a log over what it holds now."""
    job = archive_job(spark, log.settings, log.by_name())
    run(spark, job, most=most)
    return job


@contextmanager
def own_cold_log(log: Log) -> Iterator[None]:
    """Let a log have a cold log of its own: that of the platform reads only what the shop declares."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("headwater.cold_log.holding.TABLE", f"cold.log{log.suffix}")
        yield


def run_quarantine(spark: SparkSession, log: Log) -> DataFrame:
    with own_cold_log(log):
        archive(spark, log)
    return spark.table(f"{CATALOG}.quarantine.{log.topic.name}")


def rows_of(spark: SparkSession, view: View) -> DataFrame:
    return spark.table(f"{CATALOG}.{view.table}")


def oracle(spark: SparkSession, log: Log, view: View) -> DataFrame:
    """Return what the view must hold: the same transform over the whole log at once."""
    return pipeline.batch_rows(view, _records(spark, log, view), log.by_name())


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The rows that a version holds, beside those that the batch engine makes of its log.

    Rows that appear when their window is over need not be there yet if it is not; but none is wrong.
    """

    schema: str  # of what the transform makes
    expected: dict[Row, datetime | None]  # of windows that are over or not, and from when on each is
    found: list[Row]
    wrong: list[Row]
    missing: list[Row]


def compare(spark: SparkSession, log: Log, view: View) -> Comparison:
    """Compare a version with the batch engine over its whole log."""
    made = oracle(spark, log, view)
    return compare_with(spark, log, view, _with_closing(made, view), made.schema.simpleString())


def compare_with(
    spark: SparkSession, log: Log, view: View, expected: dict[Row, datetime | None], schema: str
) -> Comparison:
    """Compare a version with rows that the batch engine has made."""
    found = rows_of(spark, view).collect()
    due = expected.keys()
    if view.output == "append" and not view.tables:
        reached = watermark(log.settings, view)
        due = {row for row, closes in expected.items() if closes and closes < reached}
    return Comparison(
        schema=schema,
        expected=expected,
        found=found,
        wrong=list(Counter(found) - Counter(expected.keys())),
        missing=list(due - set(found)),
    )


def assert_same(comparison: Comparison) -> None:
    assert (comparison.wrong, comparison.missing) == ([], [])
    assert comparison.expected


def assert_up_to_date(spark: SparkSession, log: Log, view: View) -> None:
    """Assert that a version of a view holds what the batch engine makes of the log."""
    assert_same(compare(spark, log, view))


def _with_closing(made: DataFrame, view: View) -> dict[Row, datetime | None]:
    """Return rows of the batch engine, and from when on no event can change each of them."""
    rows = made.withColumn("closes", F.expr(view.closing)).collect()
    found = {Row(**{name: row[name] for name in made.columns}): row["closes"] for row in rows}
    assert len(found) == len(rows)
    return found


def watermark(settings: Settings, view: View) -> datetime:
    """Return how far the newest batch of a version let time pass, as Spark has written it down."""
    batches = Path(settings.checkpoints, view.checkpoint, "offsets").glob("[0-9]*")
    newest = max(batches, key=lambda path: int(path.name))
    _version, metadata, *_sources = newest.read_text().splitlines()
    # As Spark's Python gives times: in the machine's zone, and without saying so.
    return datetime.fromtimestamp(json.loads(metadata)["batchWatermarkMs"] / 1000)  # noqa: DTZ006


def ledger_of(spark: SparkSession, view: View) -> list[dict[str, Any]]:
    return histories.batches(spark, view.table)


def _records(spark: SparkSession, log: Log, view: View) -> dict[str, DataFrame]:
    ends = {name: log.ends(name) for name in view.reads}
    return {
        name: stitched_log.read_range(spark, log.settings, name, dict.fromkeys(end, 0), end)
        for name, end in ends.items()
    }


def whole(spark: SparkSession, log: Log, topic: str) -> DataFrame:
    """Return all records of a topic that Kafka holds from the first one on."""
    ends = log.ends(topic)
    return read_range(spark, log.settings, topic, dict.fromkeys(ends, 0), ends)
