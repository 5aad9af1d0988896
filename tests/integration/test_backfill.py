"""Backfill on a real log: exactly the windows inside are replaced, whatever the live query does meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

from headwater.errors import Refusal
from headwater.shop import Simulation
from spark_apps import catalog, sinks
from spark_apps.backfill import backfill
from spark_apps.recomputing import Between
from spark_apps.session import CATALOG
from tests.streams import job_of, new_log, oracle, own_cold_log, rows_of, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View
    from tests.streams import Log

# Around a midnight, so that the days of the table are cut, too; a day or two ago.
MIDNIGHT = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)
START = MIDNIGHT - timedelta(minutes=20)
INSIDE = Between(first=MIDNIGHT - timedelta(minutes=10, seconds=30), after=MIDNIGHT + timedelta(minutes=5))
# Late events are of windows up to a day before.
EVERYTHING = Between(first=START - timedelta(days=1), after=START + timedelta(hours=3))
WRONG = 999


@pytest.fixture(scope="module")
def log(instance: Settings) -> Iterator[Log]:
    log = new_log(instance)
    log.load(visits(0))
    with own_cold_log(log):
        yield log


def visits(number: int) -> Simulation:
    """Return the visits of forty minutes, of which there are several."""
    start = START + number * timedelta(minutes=40)
    return Simulation(
        seed=number, rate=0.5, start=start, count=1200, out_of_order=0.1, repeated=0.05, late=0.03
    )


def replaced(rows: DataFrame, view: View) -> DataFrame:
    """Return the rows whose windows lie wholly inside."""
    start = F.col(view.time)
    return rows.where(
        (start >= F.lit(INSIDE.first)) & (start + F.expr("INTERVAL 60 SECONDS") <= F.lit(INSIDE.after))
    )


def test_backfill_replaces_the_windows_wholly_inside_and_no_others(lake: SparkSession, log: Log) -> None:
    view = log.view(catalog.view("page_views_per_minute"))
    job = job_of(lake, log, view)
    run(lake, job)
    lake.sql(f"UPDATE {CATALOG}.{view.table} SET views = {WRONG}")
    phantom = MIDNIGHT - timedelta(minutes=5)
    lake.sql(
        f"INSERT INTO {CATALOG}.{view.table} SELECT minute_at, '/no/such/page', 1, 1 "
        f"FROM {CATALOG}.{view.table} WHERE minute_at = :at LIMIT 1",
        args={"at": phantom},
    )
    truth = oracle(lake, log, view).collect()
    count = backfill(lake, log.settings, view, log.by_name(), INSIDE)
    found = rows_of(lake, view)
    right = replaced(found, view).collect()
    assert len(right) == count > 50
    assert set(right) == set(replaced(oracle(lake, log, view), view).collect())
    assert all(row.views == WRONG for row in set(found.collect()) - set(right))
    assert len(found.collect()) == len(truth)

    assert backfill(lake, log.settings, view, log.by_name(), INSIDE) == count
    assert set(replaced(rows_of(lake, view), view).collect()) == set(right)

    log.load(visits(1))  # the live query finds its own batch behind the backfill, and goes on
    run(lake, job)
    backfill(lake, log.settings, view, log.by_name(), EVERYTHING)
    assert set(rows_of(lake, view).collect()) == set(oracle(lake, log, view).collect())


def test_what_the_live_query_writes_meanwhile_is_not_lost(
    lake: SparkSession, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = log.view(catalog.view("page_views_per_minute"))
    job = job_of(lake, log, view)
    run(lake, job)
    lake.sql(f"UPDATE {CATALOG}.{view.table} SET views = {WRONG}")
    replace, outcomes = sinks.replace_between, []

    def interrupted(*arguments: object) -> bool:
        if not outcomes:
            log.load(visits(2))
            run(lake, job)
        outcomes.append(replace(*arguments))  # type: ignore[arg-type]
        return outcomes[-1]

    monkeypatch.setattr(sinks, "replace_between", interrupted)
    backfill(lake, log.settings, view, log.by_name(), EVERYTHING)
    assert outcomes == [False, True]
    assert set(rows_of(lake, view).collect()) == set(oracle(lake, log, view).collect())


def test_windows_that_the_live_query_has_still_to_give_out_are_refused(lake: SparkSession, log: Log) -> None:
    view = log.view(catalog.view("page_views_per_minute_received"))
    job = job_of(lake, log, view)
    run(lake, job)
    with pytest.raises(Refusal, match="still open"):
        backfill(lake, log.settings, view, log.by_name(), Between(first=START, after=datetime.now(UTC)))
    before = rows_of(lake, view).collect()
    backfill(lake, log.settings, view, log.by_name(), INSIDE)
    assert sorted(rows_of(lake, view).collect()) == sorted(before)
