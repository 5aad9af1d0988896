"""Running views in a test: a log of its own, the real jobs, and the batch engine as the oracle."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from headwater import offsets
from headwater.brokers import admin_client
from headwater.shop import Simulation, simulate
from headwater.topics import load_topics
from headwater.topics.applying import apply
from headwater.topics.plan import plan
from spark_apps import pipeline, sinks
from spark_apps.jobs import Job, quarantine_job, view_job
from spark_apps.query import Query
from spark_apps.session import CATALOG
from spark_apps.sources import read_range

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.view import View


def anybody_may_write() -> None:
    """Stand in for the lease where a test has only one driver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A topic of its own, shaped like page_views."""

    settings: Settings
    topic: Topic

    def load(self, simulation: Simulation) -> None:
        """Write what a simulation sends."""
        simulate(self.settings, replace(simulation, topic=self.topic.name), report=lambda _: None)

    def ends(self) -> dict[int, int]:
        with admin_client(self.settings, "apps") as client:
            return offsets.ends(client, self.topic.name)

    def view(self, view: View) -> View:
        """Return the view on this log, with a table and a checkpoint of its own at each call."""
        return replace(view, name=f"{view.name}_{uuid.uuid4().hex[:8]}", inputs=(self.topic.name,))


def new_log(settings: Settings) -> Log:
    topic = load_topics()["page_views"].model_copy(update={"name": f"page_views_{uuid.uuid4().hex[:8]}"})
    apply(settings, plan(settings, {topic.name: topic}))
    return Log(settings=settings, topic=topic)


def job_of(spark: SparkSession, log: Log, view: View) -> Job:
    partitions = {log.topic.name: sorted(log.ends())}
    return view_job(spark, log.settings, view, {log.topic.name: log.topic}, partitions)


def run(
    spark: SparkSession,
    job: Job,
    *,
    most: int | None = None,
    guard: Callable[[], None] = anybody_may_write,
) -> None:
    """Run a job over what its log holds now."""
    query = Query(spark, job, guard, "0 seconds")
    query.catch_up(most)
    query.wait()


def run_quarantine(spark: SparkSession, log: Log) -> DataFrame:
    job = quarantine_job(spark, log.settings, log.topic)
    run(spark, job)
    return spark.table(f"{CATALOG}.{job.table}")


def rows_of(spark: SparkSession, view: View) -> DataFrame:
    return spark.table(f"{CATALOG}.{view.table}")


def oracle(spark: SparkSession, log: Log, view: View) -> DataFrame:
    """Return what the view must hold: the same transform over the whole log at once."""
    ends = log.ends()
    records = read_range(spark, log.settings, log.topic.name, dict.fromkeys(ends, 0), ends)
    rows = pipeline.batch_rows(view, {log.topic.name: records}, {log.topic.name: log.topic})
    if view.mode == "upsert":
        return rows
    # Rows that are only appended appear when their window is over; of the rest the stream says nothing yet.
    newest: Any = records.agg({"timestamp": "max"}).first()
    closed = newest[0] - view.remembers - view.window
    return rows.where(rows[view.time] <= closed)


def ledger_of(spark: SparkSession, view: View) -> list[dict[str, Any]]:
    return sinks.history(spark, view.table)
