"""Verifying on a real log: what is served is replayed in other batches, and every wrong row is found."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headwater import lake as lake_tables
from headwater import scratch
from headwater.errors import Refusal
from headwater.maintenance import retiring
from headwater.replay.between import Between
from headwater.shop import Simulation
from spark_apps import catalog, rehearsing, sinks
from spark_apps.session import CATALOG
from spark_apps.verifying import verify
from tests.streams import Crash, job_of, new_log, own_cold_log, rows_of, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View
    from tests.streams import Log

TOPICS = ("page_views", "user_changelog", "impressions", "clicks")
# A view whose rows are corrected, one whose rows wait, one that joins streams, one that joins a table.
VIEWS = ("page_views_per_minute", "user_sessions", "ad_clicks", "enriched_page_views")
TODAY = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=5)
SLICE = Between(first=TODAY + timedelta(minutes=20), after=TODAY + timedelta(minutes=80))


def visits(start: datetime, seed: int, **changes: object) -> Simulation:
    options: dict[str, object] = {"rate": 0.6, "users": 300, "out_of_order": 0.1, "repeated": 0.05}
    options |= {"late": 0.03, "latest": timedelta(hours=1), "count": 100_000} | changes
    return Simulation(start=start, seed=seed, streams=TOPICS, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def log(instance: Settings) -> Iterator[Log]:
    log = new_log(instance, *TOPICS)
    with own_cold_log(log):
        yield log


@pytest.fixture(scope="module")
def versions(lake: SparkSession, log: Log) -> dict[str, View]:
    """Return versions that read a log which is out of order, and then followed it in small batches."""
    versions = {name: log.view(catalog.view(name)) for name in VIEWS}
    following = log.slices(visits(TODAY, seed=1), 1500, 1500, 4000)
    next(following)
    # Of the day before, and received after: by its place in the log it would be of today.
    list(log.slices(visits(TODAY - timedelta(days=1), seed=2, partition=1), 400))
    run(lake, *(job_of(lake, log, view) for view in versions.values()))
    for _ in following:
        run(lake, *(job_of(lake, log, view) for view in versions.values()))
    return versions


def nothing_is_left(log: Log) -> bool:
    folder = Path(log.settings.checkpoints, scratch.NAMESPACE)
    return not lake_tables.tables_in(log.settings, scratch.NAMESPACE) and not list(folder.glob("*"))


@pytest.mark.parametrize("name", VIEWS)
def test_other_batches_give_the_rows_that_are_served(
    lake: SparkSession, log: Log, versions: dict[str, View], name: str
) -> None:
    ends = log.ends()
    found = verify(lake, log.settings, versions[name], log.by_name(), SLICE)
    assert found.differing == 0, found.text()
    assert found.compared > 40
    assert "in 5 batches" in found.how
    assert "serves what the log gives" in found.text()
    assert nothing_is_left(log)
    assert log.ends() == ends


def test_view_of_tables_is_verified_at_its_newest_snapshot(lake: SparkSession, log: Log) -> None:
    view = log.view(catalog.view("user_profiles"))
    run(lake, job_of(lake, log, view))
    found = verify(lake, log.settings, view, log.by_name())
    assert (found.differing, found.compared) == (0, rows_of(lake, view).count())
    assert found.compared > 10
    assert "view of tables" in found.how
    lake.sql(f"UPDATE {CATALOG}.{view.table} SET plan = 'wrong' WHERE user_id = 'user-0001'")
    wrong = verify(lake, log.settings, view, log.by_name())
    assert (wrong.differing, wrong.counts["different"]) == (1, 1)
    with pytest.raises(Refusal, match="has no slices"):
        verify(lake, log.settings, view, log.by_name(), SLICE)


def test_every_wrong_row_is_found_and_shown(lake: SparkSession, log: Log, versions: dict[str, View]) -> None:
    """One that is changed, one that is gone, one that nobody has made."""
    view = versions["user_sessions"]
    inside = rows_of(lake, view).where(f"started_at > '{SLICE.first:%Y-%m-%d %H:%M:%S}'")
    changed, gone = inside.orderBy("started_at", "user_id").limit(2).collect()
    table = f"{CATALOG}.{view.table}"
    for statement, row in (
        (f"UPDATE {table} SET pages = 999 WHERE started_at = :at AND user_id = :who", changed),
        (f"DELETE FROM {table} WHERE started_at = :at AND user_id = :who", gone),
    ):
        lake.sql(statement, args={"at": row.started_at, "who": row.user_id})
    phantom = f"SELECT started_at, ended_at, 'nobody', 1, seconds, '/', '/' FROM {table} WHERE pages = 999"
    lake.sql(f"INSERT INTO {table} {phantom}")
    found = verify(lake, log.settings, view, log.by_name(), SLICE)
    assert {name: count for name, count in found.counts.items() if name != "equal"} == {
        "different": 1,
        "only_live": 1,
        "only_candidate": 1,
    }
    assert found.counts["equal"] > 30
    assert "pages=999" in found.text()
    assert "user_id=nobody" in found.text()
    assert "serves other rows than the log gives" in found.text()


def test_verification_that_fails_leaves_nothing_behind(
    lake: SparkSession, log: Log, versions: dict[str, View], monkeypatch: pytest.MonkeyPatch
) -> None:
    view = versions["enriched_page_views"]  # the one that has the most tables

    def dies(*_: object) -> None:
        assert not nothing_is_left(log)
        raise Crash

    monkeypatch.setattr(rehearsing, "given_out", dies)
    with pytest.raises(Crash):
        verify(lake, log.settings, view, log.by_name(), SLICE)
    assert nothing_is_left(log)


def test_what_a_killed_verification_has_left_is_removed_but_not_what_one_works_with(
    lake: SparkSession, log: Log, versions: dict[str, View]
) -> None:
    killed, working = (rehearsing.Scratch.of(versions[name]) for name in VIEWS[:2])
    sinks.create_table(lake, killed.table, killed.schema)
    Path(log.settings.checkpoints, killed.checkpoint).mkdir(parents=True)
    with scratch.of(log.settings, working.name):
        sinks.create_table(lake, working.table, working.schema)
        with pytest.raises(Refusal, match="is under way already"):
            verify(lake, log.settings, versions[VIEWS[1]], log.by_name(), SLICE)
        planned = retiring.retire(log.settings, dry_run=True)
        done = retiring.retire(log.settings, dry_run=False)
        assert lake_tables.tables_in(log.settings, scratch.NAMESPACE) == [working.table.split(".")[1]]
    assert [outcome.subject for outcome in planned if outcome.step == "clear"] == [f"scratch.{killed.name}"]
    assert [outcome.subject for outcome in done if outcome.step == "clear"] == [f"scratch.{killed.name}"]
    assert nothing_is_left(log)
