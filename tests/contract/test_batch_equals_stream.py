"""What every view promises, whichever it is: the same log gives the same rows.

A new view gets these tests for free; they run over the whole catalog. A log is read as every driver does it:
the backlog all at once, and then what comes, in batches of different sizes.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import StreamingQueryException

from headwater.shop import Simulation
from headwater.shop.streams import STREAMS
from spark_apps import catalog
from tests.captures import Captured, captured_shop
from tests.deciding import CARTS, deciding
from tests.streams import Comparison, Log, assert_same, compare, job_of, new_log, run, side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from spark_apps.jobs import Job
    from spark_apps.view import View

    Versions = dict[str, View]  # by name of view
    Comparisons = dict[str, Comparison]

NOW = datetime.now(UTC).replace(microsecond=0)
MESSY = {"out_of_order": 0.05, "late": 0.03, "repeated": 0.05, "wrong_clock": 0.05, "malformed": 0.01}
FLAWS = ("broken_json", "number_for_text", "missing_field", "null", "nan", "future")
OUTPUTS = {view.publishes.topic for view in catalog.views().values() if view.publishes}
CAPTURED = sorted({table for view in catalog.views().values() for table in view.tables} - set(STREAMS))
TOPICS = (*sorted({*STREAMS, *CARTS}), *sorted(OUTPUTS), *CAPTURED)
PEOPLE, TRANSACTIONS = 60, 150
BACKLOG = 2000  # records of all topics together, in each partition
SLICES = (800, 5200)  # the same, for each batch that follows
EVERY_VIEW = pytest.mark.parametrize("view", catalog.views().values(), ids=lambda view: view.name)


def messy(start: datetime, count: int, **changes: object) -> Simulation:
    # Few people, so that they do something together; none is late by so much that nobody remembers what for.
    options = {"seed": 11, "rate": 1.5, "users": PEOPLE, "latest": timedelta(hours=1), "flaws": FLAWS}
    options |= MESSY | changes
    return Simulation(start=start, count=count, **options)  # type: ignore[arg-type]


class Shop:
    """A log, and versions of all views on it that follow it at their own pace."""

    def __init__(self, spark: SparkSession, log: Log) -> None:
        self.spark, self.log = spark, log

    def versions(self) -> Versions:
        return {view.name: self.log.view(view) for view in catalog.views().values()}

    def follow(self, versions: Versions, *, publish: bool = False) -> None:
        """Read on; those that others listen to go first, if they may speak."""
        speaking = [view for view in versions.values() if view.publishes]
        others = [view for view in versions.values() if not view.publishes]
        for views in (speaking, others):
            run(self.spark, *side_by_side(lambda view: self._job(view, publish), views))

    def _job(self, view: View, publish: bool) -> Job:
        return job_of(self.spark, self.log, view, publish=publish)

    def compared(self, versions: Versions) -> Comparisons:
        """Compare every version with the batch engine over the whole log."""
        compared = side_by_side(lambda view: compare(self.spark, self.log, view), versions.values())
        return dict(zip(versions, compared, strict=True))


def clerks_work(captured: Captured, seed: int) -> None:
    """Let rows of the database change, and come into the log."""
    captured.work(seed, transactions=TRANSACTIONS, users=PEOPLE)
    captured.wait()


@contextmanager
def log_with_tables(settings: Settings) -> Iterator[tuple[Log, Captured]]:
    """Return a log of everything: events and people from the simulator, all other tables from a database."""
    log = new_log(settings, *TOPICS)
    of_tables = {topic.table: topic for name, topic in log.topics.items() if name in CAPTURED}
    with captured_shop(settings, f"shop{log.suffix}", of_tables) as captured:
        yield log, captured


@pytest.fixture(scope="module")
def followed(lake: SparkSession, instance: Settings) -> tuple[Log, Comparisons]:
    """Catch up with the log that streaming engines lose rows on, and follow it from there in other batches.

    partition 0: five days ago      partition 1: today      partition 2: three days ago

    They were loaded in the reverse order of their numbers. What comes then is of today, in all partitions; it
    is a shop where everything goes wrong now and then.
    """
    with log_with_tables(instance) as (log, captured), deciding(log) as decided:
        for partition, days in ((2, 3), (1, 0), (0, 5)):
            start = NOW - timedelta(days=days, hours=3)
            list(log.slices(messy(start, count=BACKLOG, seed=partition, partition=partition), BACKLOG))
        shop = Shop(lake, log)
        versions = shop.versions()
        today = messy(NOW - timedelta(hours=2), count=sum(SLICES), seed=7)
        for seed, _ in enumerate(chain([None], log.slices(today, *SLICES))):
            clerks_work(captured, seed)
            decided()
            shop.follow(versions, publish=True)
    # What the last batch has said, views of views have still to hear.
    shop.follow({name: view for name, view in versions.items() if OUTPUTS & set(catalog.view(name).inputs)})
    return log, shop.compared(versions)


@EVERY_VIEW
def test_stream_equals_batch_whatever_the_batches_and_partitions(
    followed: tuple[Log, Comparisons], view: View
) -> None:
    _, compared = followed
    assert_same(compared[view.name])


@EVERY_VIEW
def test_keys_are_unique_and_the_schema_is_the_declared_one(
    lake: SparkSession, followed: tuple[Log, Comparisons], view: View
) -> None:
    comparison = followed[1][view.name]
    assert comparison.schema == lake.createDataFrame([], view.schema).schema.simpleString()
    keys = [tuple(row[key] for key in view.keys) for row in comparison.found]
    assert len(keys) == len(set(keys)) > 0


def test_rows_that_a_watermark_would_drop_stop_the_app_instead(
    lake: SparkSession, followed: tuple[Log, Comparisons]
) -> None:
    """Catching up in small batches would lose the days of the slower partitions: that must be seen."""
    log, _ = followed
    view = log.view(catalog.view("page_views_per_minute_received"))
    with pytest.raises(StreamingQueryException, match=r"lost \d+ rows to the watermark"):
        run(lake, job_of(lake, log, view), most=100)


def test_nothing_of_a_batch_stays_in_memory(lake: SparkSession, followed: object) -> None:
    """What a driver that runs for months forgets to let go of is what it ends with."""
    assert lake._jsparkSession.sharedState().cacheManager().isEmpty()
    assert lake.sparkContext._jsc.getPersistentRDDs().size() == 0
