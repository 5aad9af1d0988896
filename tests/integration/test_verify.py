"""Verifying on a real log: what is served is replayed in other batches, and every wrong row is found."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headwater import lake as lake_tables
from headwater import scratch
from headwater.shop import Simulation
from spark_apps import catalog
from spark_apps.recomputing import Between
from spark_apps.verifying import verify
from tests.streams import job_of, new_log, own_cold_log, run

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
    options: dict[str, object] = {"rate": 0.6, "users": 20, "out_of_order": 0.1, "repeated": 0.05}
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
    following = log.slices(visits(TODAY, seed=1), 1500, 1500, 1500, 3000)
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
    assert "in 7 batches" in found.how
    assert "serves what the log gives" in found.text()
    assert nothing_is_left(log)
    assert log.ends() == ends
