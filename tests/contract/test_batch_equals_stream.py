"""What every view promises, whichever it is: the same log gives the same rows.

A new view gets these tests for free; they run over the whole catalog. A log is read as every driver does it:
the backlog all at once, and then what comes, in batches of different sizes; or, for a rebuild at a seam, what
is over by the batch engine, and the rest by the stream.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import pytest
from pyspark.errors import StreamingQueryException

from headwater import offsets
from headwater.brokers import admin_client
from headwater.shop import Simulation
from headwater.shop.streams import STREAMS
from spark_apps import catalog, seam
from spark_apps.session import CATALOG
from tests.captures import Captured, captured_shop
from tests.deciding import CARTS, deciding
from tests.rebuilds import from_the_first_record, rebuild_of
from tests.streams import (
    Comparison,
    Log,
    assert_same,
    compare,
    compare_with,
    job_of,
    new_log,
    run,
    side_by_side,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from spark_apps.jobs import Job
    from spark_apps.seam import Cut, Offsets
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
LATELY = NOW - timedelta(minutes=65)  # of what comes then, most has come
# In the middle of a backlog: views that correct what is a day old have nothing that is final after it.
LONG_AGO = NOW - timedelta(days=3, hours=3) + timedelta(minutes=12)
# What all tests share is made by the first of them, with every view of the catalog.
pytestmark = pytest.mark.timeout(1800)
EVERY_VIEW = pytest.mark.parametrize("view", catalog.views().values(), ids=lambda view: view.name)


def messy(start: datetime, count: int, **changes: object) -> Simulation:
    # Few people, so that they do something together; none is late by so much that nobody remembers what for.
    options = {"seed": 11, "rate": 1.5, "users": PEOPLE, "latest": timedelta(hours=1), "flaws": FLAWS}
    options |= MESSY | changes
    return Simulation(start=start, count=count, **options)  # type: ignore[arg-type]


class Followed(NamedTuple):
    """A log that was followed, what came of it, and where it ended for who asked a little earlier."""

    log: Log
    compared: Comparisons
    ends: Offsets


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
def followed(lake: SparkSession, instance: Settings) -> Followed:
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
            earlier = ends_of(log)
            clerks_work(captured, seed)
            decided()
            shop.follow(versions, publish=True)
    # What the last batch has said, views of views have still to hear.
    shop.follow({name: view for name, view in versions.items() if OUTPUTS & set(catalog.view(name).inputs)})
    return Followed(log, shop.compared(versions), earlier)


def ends_of(log: Log) -> Offsets:
    """Return where the log ended lately; what is not of the shop's own time, where it ends now."""
    with admin_client(log.settings, "apps") as client:
        now = {name: offsets.ends(client, name) for name in log.by_name()}
        lately = {name: offsets.since(client, name, LATELY) for name in log.by_name()}
    simulated = {log.topics[name].name for name in (*STREAMS, *CARTS) if name in log.topics}
    return {
        name: {str(part): lately[name][part] if name in simulated else end for part, end in ends.items()}
        for name, ends in now.items()
    }


@EVERY_VIEW
def test_stream_equals_batch_whatever_the_batches_and_partitions(followed: Followed, view: View) -> None:
    assert_same(followed.compared[view.name])


@EVERY_VIEW
def test_keys_are_unique_and_the_schema_is_the_declared_one(
    lake: SparkSession, followed: Followed, view: View
) -> None:
    comparison = followed.compared[view.name]
    assert comparison.schema == lake.createDataFrame([], view.schema).schema.simpleString()
    keys = [tuple(row[key] for key in view.keys) for row in comparison.found]
    assert len(keys) == len(set(keys)) > 0


@pytest.fixture(scope="module")
def rebuilt(lake: SparkSession, followed: Followed) -> tuple[Versions, dict[str, Cut]]:
    """Rebuild every view that can be cut at a seam, as if that had been asked for before the last events."""
    versions = {
        name: followed.log.view(view) for name, view in catalog.views().items() if not view.cannot_be_cut
    }
    decided = side_by_side(lambda view: cut_of(lake, followed, view), versions.values())
    cuts = dict(zip(versions, decided, strict=True))
    jobs = [
        job for name, view in versions.items() for job in rebuild_of(lake, followed.log, view, cuts[name])
    ]
    run(lake, *jobs)
    return versions, cuts


def cut_of(lake: SparkSession, followed: Followed, view: View) -> Cut:
    log, bound = followed.log, LONG_AGO if view.late == "correct" else None
    asked = from_the_first_record(log, view)
    return seam.decide(lake, log.settings, view, log.by_name(), asked, followed.ends, bound)


@pytest.mark.parametrize("name", [name for name, view in catalog.views().items() if not view.cannot_be_cut])
def test_rebuild_at_a_seam_gives_the_same_rows(
    lake: SparkSession, followed: Followed, rebuilt: tuple[Versions, dict[str, Cut]], name: str
) -> None:
    """Sessions and joins lie across the seam, partitions are days apart, and events come late around it."""
    versions, cuts = rebuilt
    view, known = versions[name], followed.compared[name]
    assert_same(compare_with(lake, followed.log, view, known.expected, known.schema))
    # What other views say, they say now, and it may be corrected for a day: nothing of it is over.
    if set(catalog.view(name).inputs) - OUTPUTS:
        rows = lake.table(f"{CATALOG}.{view.table}")
        before = rows.where(rows[view.time] < cuts[name].at).count()
        assert 0 < before < rows.count()


def test_views_that_cannot_be_cut_say_why() -> None:
    reasons = {name: view.cannot_be_cut for name, view in catalog.views().items() if view.cannot_be_cut}
    assert {name for name, view in catalog.views().items() if view.of_tables} < reasons.keys()
    assert reasons.keys() - {name for name, view in catalog.views().items() if view.of_tables} == {
        "carts",
        "cart_history",
    }


def test_rows_that_a_watermark_would_drop_stop_the_app_instead(
    lake: SparkSession, followed: Followed
) -> None:
    """Catching up in small batches would lose the days of the slower partitions: that must be seen."""
    log = followed.log
    view = log.view(catalog.view("page_views_per_minute_received"))
    with pytest.raises(StreamingQueryException, match=r"lost \d+ rows to the watermark"):
        run(lake, job_of(lake, log, view), most=100)


def test_nothing_of_a_batch_stays_in_memory(lake: SparkSession, followed: object) -> None:
    """What a driver that runs for months forgets to let go of is what it ends with."""
    assert lake._jsparkSession.sharedState().cacheManager().isEmpty()
    assert lake.sparkContext._jsc.getPersistentRDDs().size() == 0
