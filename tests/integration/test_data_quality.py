"""The quality of live views: expectations, freshness and volume, kept as history, alarmed when they fail."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

from expectations import quality
from expectations.running import data_docs
from headwater import alarms
from headwater.registry import connect
from headwater.shop import Simulation
from spark_apps import catalog
from spark_apps.session import CATALOG
from spark_apps.view import Check
from tests.streams import Log, job_of, new_log, run
from tests.versions import version_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from expectations.quality import Report
    from headwater.settings import Settings
    from spark_apps.view import View

NOW = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
HOUR = timedelta(hours=1)
PER_HOUR = 240
POSITIVE = "expect_column_values_to_be_between(column=views, min_value=1.0)"


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    """Return six hours of events, the last of them a quiet one, and an hour that is still open."""
    log = new_log(instance)
    busy = Simulation(seed=1, rate=PER_HOUR / 3600, start=NOW - 8 * HOUR, duration=5 * HOUR)
    quiet = replace(busy, seed=2, rate=PER_HOUR / 3600 / 10, start=NOW - 3 * HOUR, duration=HOUR)
    still_open = replace(busy, seed=3, start=NOW - 2 * HOUR, duration=HOUR / 2)
    for simulation in (busy, quiet, still_open):
        log.load(simulation)
    return log


@pytest.fixture(scope="module")
def view(lake: SparkSession, log: Log) -> View:
    view = log.view(catalog.view("page_views_per_minute"))
    run(lake, job_of(lake, log, view))
    return view


def check(lake: SparkSession, log: Log, *views: View) -> list[Report]:
    topics = {log.topic.name: log.topic}
    return quality.check(lake, log.settings, topics, [version_of(view) for view in views])


def open_alarms(settings: Settings, view: View) -> set[str]:
    with connect(settings) as registry:
        return {alarm["kind"] for alarm in alarms.open_alarms(registry) if alarm["subject"] == view.name}


def test_results_are_kept_as_history_and_as_pages(lake: SparkSession, log: Log, view: View) -> None:
    twice = check(lake, log, view, view)
    assert [report.failed for report in twice] == [[], []]
    assert {len(report.results) for report in twice} == {9}
    results = lake.table(f"{CATALOG}.{quality.RESULTS}").where(F.col("view") == view.name)
    assert results.count() == 2 * 9
    assert results.select("checked_at").distinct().count() == 1
    (index,) = data_docs(log.settings).glob("site/index.html")
    assert f"{view.name}__v1" in index.read_text()


def test_what_fails_alarms_until_it_holds_again_and_what_warns_does_not(
    lake: SparkSession, log: Log, view: View
) -> None:
    table = f"{CATALOG}.{view.table}"
    lake.sql(f"UPDATE {table} SET views = -views")
    log.load(Simulation(seed=4, rate=1, start=NOW - HOUR, count=50))  # that nobody reads
    (report,) = check(lake, log, view)
    assert [str(result) for result in report.failed] == [POSITIVE, "freshness(at_most=0:01:00)"]
    assert open_alarms(log.settings, view) == {str(result) for result in report.failed}
    (volume,) = (result for result in report.results if result.expectation == "volume")
    assert (volume.success, volume.severity) == (False, "warn")

    lake.sql(f"UPDATE {table} SET views = -views")
    run(lake, job_of(lake, log, view))
    (report,) = check(lake, log, view)
    assert report.failed == []
    assert open_alarms(log.settings, view) == set()


def test_view_that_cannot_be_checked_fails_and_the_others_are_checked(
    lake: SparkSession, log: Log, view: View
) -> None:
    nonsense = replace(view, checks=(Check(expectation="expect_nonsense", arguments={}),))
    empty = log.view(catalog.view("page_views_per_minute"))
    job_of(lake, log, empty)
    refused, never_written, good = check(lake, log, nonsense, empty, view)
    assert 'no expectation "expect_nonsense"' in refused.failed[0].seen
    assert "never been written" in never_written.failed[0].seen
    assert good.failed == []
