"""Backfill on a real log: exactly the windows inside are replaced, whatever the live query does meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

from headwater.errors import Refusal
from headwater.replay.between import Between
from headwater.shop import Simulation
from spark_apps import catalog, sinks
from spark_apps.backfill import Asked, backfill
from spark_apps.session import CATALOG
from tests.streams import job_of, new_log, oracle, own_cold_log, rows_of, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from headwater.replay.backfill_proof import Outcome
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
    log = new_log(instance, "page_views", "impressions", "clicks")
    log.load(visits(0))
    with own_cold_log(log):
        yield log


def visits(number: int) -> Simulation:
    """Return the visits of forty minutes, of which there are several."""
    start = START + number * timedelta(minutes=40)
    return Simulation(
        seed=number,
        rate=1,
        start=start,
        count=2400,
        users=300,
        out_of_order=0.1,
        repeated=0.05,
        late=0.03,
    )


def replaced(rows: DataFrame, view: View) -> DataFrame:
    """Return the rows whose windows lie wholly inside."""
    start, seconds = F.col(view.time), view.window.total_seconds()
    ends = start + F.expr(f"INTERVAL {seconds:.0f} SECONDS")
    return rows.where((start >= F.lit(INSIDE.first)) & (ends <= F.lit(INSIDE.after)))


def replace(lake: SparkSession, log: Log, view: View, between: Between) -> Outcome:
    return backfill(lake, log.settings, view, log.by_name(), Asked(between=between))


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
    count = replace(lake, log, view, INSIDE).rows
    found = rows_of(lake, view)
    right = replaced(found, view).collect()
    assert len(right) == count > 50
    assert set(right) == set(replaced(oracle(lake, log, view), view).collect())
    assert all(row.views == WRONG for row in set(found.collect()) - set(right))
    assert len(found.collect()) == len(truth)

    again = replace(lake, log, view, INSIDE)
    assert (again.rows, again.equal, again.changed) == (count, count, 0)
    assert set(replaced(rows_of(lake, view), view).collect()) == set(right)

    log.load(visits(1))  # the live query finds its own batch behind the backfill, and goes on
    run(lake, job)
    replace(lake, log, view, EVERYTHING)
    assert set(rows_of(lake, view).collect()) == set(oracle(lake, log, view).collect())


def test_what_the_live_query_writes_meanwhile_is_not_lost(
    lake: SparkSession, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = log.view(catalog.view("page_views_per_minute"))
    job = job_of(lake, log, view)
    run(lake, job)
    lake.sql(f"UPDATE {CATALOG}.{view.table} SET views = {WRONG}")
    really, outcomes = sinks.replace_between, []

    def interrupted(*arguments: object) -> bool:
        if not outcomes:
            log.load(visits(2))
            run(lake, job)
        outcomes.append(really(*arguments))  # type: ignore[arg-type]
        return outcomes[-1]

    monkeypatch.setattr(sinks, "replace_between", interrupted)
    replace(lake, log, view, EVERYTHING)
    assert outcomes == [False, True]
    assert set(rows_of(lake, view).collect()) == set(oracle(lake, log, view).collect())


def test_windows_that_the_live_query_has_still_to_give_out_are_refused(lake: SparkSession, log: Log) -> None:
    view = log.view(catalog.view("page_views_per_minute_received"))
    job = job_of(lake, log, view)
    run(lake, job)
    with pytest.raises(Refusal, match="cannot be backfilled like this"):
        replace(lake, log, view, Between(first=START, after=datetime.now(UTC)))
    before = rows_of(lake, view).collect()
    replace(lake, log, view, INSIDE)
    assert sorted(rows_of(lake, view).collect()) == sorted(before)


@pytest.mark.parametrize("name", ["user_sessions", "ad_clicks"])
def test_sessions_and_joins_are_made_of_what_lies_before_and_after_the_edges(
    lake: SparkSession, log: Log, name: str
) -> None:
    """A session that began before the stretch is no session of it; a click after an impression counts."""
    log.load(visits(3))  # so that all that began inside is over
    view = log.view(catalog.view(name))
    run(lake, job_of(lake, log, view))
    right = set(replaced(rows_of(lake, view), view).collect())
    lake.sql(f"UPDATE {CATALOG}.{view.table} SET user_id = 'nobody' WHERE user_id < 'user-0050'")
    outside = set(rows_of(lake, view).collect()) - set(replaced(rows_of(lake, view), view).collect())
    outcome = replace(lake, log, view, INSIDE)
    now = set(replaced(rows_of(lake, view), view).collect())
    assert (now - right, right - now) == (set(), set())
    assert set(rows_of(lake, view).collect()) - right == outside
    assert (outcome.rows, outcome.changed > 10, outcome.equal > 10) == (len(right), True, True)
