"""Crashes at the worst moments: afterwards every row is there once.

A batch has three steps: Spark writes down which offsets it will read, the sink commits the rows, Spark writes
down that the batch is done. A crash between any two of them leaves a trace that can be laid by hand.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import StreamingQueryException

from headwater.registry import connect, leases
from headwater.shop import Simulation
from spark_apps import catalog
from spark_apps.histories import BATCH
from tests.streams import (
    Crash,
    Log,
    assert_up_to_date,
    forget_newest_commit,
    job_of,
    ledger_of,
    new_log,
    rows_of,
    run,
    run_quarantine,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View

START = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
# One view for each way of writing: rows that replace others, rows that are added, rows made with tables.
WAYS = ("page_views_per_minute", "page_views_per_minute_received", "enriched_page_views")
EVERY_WAY = pytest.mark.parametrize("view", [catalog.view(name) for name in WAYS], ids=WAYS)


@pytest.fixture
def log(instance: Settings) -> Log:
    log = new_log(instance, "page_views", "user_changelog")
    log.load(part_of_the_day(0))
    return log


def part_of_the_day(number: int) -> Simulation:
    """Return one of several stretches of the same day, ten minutes each."""
    start = START + number * timedelta(minutes=10)
    return Simulation(seed=number, rate=1, start=start, count=600, out_of_order=0.05, repeated=0.05)


@EVERY_WAY
def test_batch_that_was_committed_but_not_noted_is_not_written_twice(
    lake: SparkSession, log: Log, view: View
) -> None:
    view = log.view(view)
    job = job_of(lake, log, view)
    run(lake, job)
    log.load(part_of_the_day(1))
    run(lake, job)
    forget_newest_commit(job.checkpoint)
    run(lake, job)
    log.load(part_of_the_day(2))
    run(lake, job)
    assert_up_to_date(lake, log, view)
    batches = [int(commit[BATCH]) for commit in ledger_of(lake, view)]
    assert sorted(set(batches)) == batches


def test_quarantined_record_is_not_written_twice(lake: SparkSession, log: Log) -> None:
    log.load(Simulation(seed=9, rate=1, start=START, count=40, malformed=1.0))
    assert run_quarantine(lake, log).count() == 40
    forget_newest_commit(f"{log.settings.checkpoints}/cold/log{log.suffix}")
    assert run_quarantine(lake, log).count() == 40


@EVERY_WAY
def test_batch_that_dies_before_its_commit_is_redone(lake: SparkSession, log: Log, view: View) -> None:
    view = log.view(view)
    job = job_of(lake, log, view)
    run(lake, job)
    log.load(part_of_the_day(1))

    def dies_before_the_commit() -> None:
        raise Crash

    with pytest.raises(StreamingQueryException, match="Crash"):
        run(lake, job, guard=dies_before_the_commit)
    run(lake, job)
    assert_up_to_date(lake, log, view)


def test_batch_that_dies_between_what_it_remembers_and_its_commit_is_redone(
    lake: SparkSession, log: Log
) -> None:
    view = log.view(catalog.view("enriched_page_views"))
    job = job_of(lake, log, view)
    run(lake, job)
    log.load(part_of_the_day(1))

    def dies_in_between(*_inputs: DataFrame) -> DataFrame:
        raise Crash

    with pytest.raises(StreamingQueryException, match="Crash"):
        run(lake, job_of(lake, log, replace(view, transform=dies_in_between)))
    run(lake, job)
    assert_up_to_date(lake, log, view)
    # What a batch writes into the history of its table must not be found in anybody else's.
    assert lake.conf.get("spark.sql.iceberg.snapshot-property.headwater.batch", None) is None


def test_driver_whose_lease_was_taken_commits_nothing(lake: SparkSession, log: Log) -> None:
    view = log.view(catalog.view("page_views_per_minute"))
    with connect(log.settings) as registry:
        stale = leases.take(registry, view.name, "driver-1")
        leases.take(registry, view.name, "driver-2")
        with pytest.raises(StreamingQueryException, match="another driver has taken over"):
            run(lake, job_of(lake, log, view), guard=lambda: leases.show(registry, stale))
    assert rows_of(lake, view).isEmpty()


def test_lost_checkpoint_is_refused_instead_of_counting_the_log_again(lake: SparkSession, log: Log) -> None:
    view = log.view(catalog.view("page_views_per_minute_received"))
    job = job_of(lake, log, view)
    run(lake, job)
    shutil.rmtree(job.checkpoint)
    with pytest.raises(StreamingQueryException, match="was written from another checkpoint"):
        run(lake, job)
    assert_up_to_date(lake, log, view)
