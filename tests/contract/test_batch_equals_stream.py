"""What every view promises, whichever it is: the same log gives the same rows.

A new view gets these tests for free; they run over the whole catalog.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F
from pyspark.testing import assertDataFrameEqual

from headwater.shop import Simulation
from spark_apps import catalog
from tests.streams import Log, job_of, new_log, oracle, rows_of, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View

NOW = datetime.now(UTC).replace(microsecond=0)
MESSY = {"out_of_order": 0.05, "late": 0.03, "repeated": 0.05, "wrong_clock": 0.05, "malformed": 0.01}
FLAWS = ("broken_json", "number_for_text", "missing_field", "null", "nan", "future")
EVERY_VIEW = pytest.mark.parametrize("view", catalog.views().values(), ids=lambda view: view.name)


def messy(start: datetime, count: int, **changes: object) -> Simulation:
    options = {"seed": 11, "rate": 1.5, "flaws": FLAWS, **MESSY, **changes}
    return Simulation(start=start, count=count, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def messy_log(instance: Settings) -> Log:
    """Return an hour of a shop where everything goes wrong now and then."""
    log = new_log(instance)
    log.load(messy(NOW - timedelta(hours=2), count=6000))
    return log


@pytest.fixture
def skewed_log(instance: Settings) -> Log:
    """Return the log that streaming engines lose rows on: each partition holds another day.

    partition 0: five days ago      partition 1: today      partition 2: three days ago

    And they were loaded in the reverse order of their numbers.
    """
    log = new_log(instance)
    for partition, days in ((2, 3), (1, 0), (0, 5)):
        start = NOW - timedelta(days=days, hours=2)
        log.load(messy(start, count=1500, seed=partition, partition=partition))
    return log


@EVERY_VIEW
@pytest.mark.parametrize("most", [None, 3500, 1500], ids=["one batch", "batches of 3500", "batches of 1500"])
def test_stream_equals_batch_whatever_the_size_of_batches(
    lake: SparkSession, messy_log: Log, view: View, most: int | None
) -> None:
    view = messy_log.view(view)
    run(lake, job_of(lake, messy_log, view), most=most)
    expected = oracle(lake, messy_log, view)
    assert expected.count() > 100
    assertDataFrameEqual(rows_of(lake, view), expected)


@EVERY_VIEW
def test_skewed_log_is_caught_up_with_exactly_and_followed_from_there(
    lake: SparkSession, skewed_log: Log, view: View
) -> None:
    view = skewed_log.view(view)
    job = job_of(lake, skewed_log, view)
    run(lake, job)
    assertDataFrameEqual(rows_of(lake, view), oracle(lake, skewed_log, view))
    skewed_log.load(messy(NOW - timedelta(minutes=50), count=2000, seed=7))
    run(lake, job, most=1100)
    assertDataFrameEqual(rows_of(lake, view), oracle(lake, skewed_log, view))


@EVERY_VIEW
def test_keys_are_unique_and_the_schema_is_the_declared_one(
    lake: SparkSession, messy_log: Log, view: View
) -> None:
    rows = oracle(lake, messy_log, messy_log.view(view))
    assert rows.groupBy(*view.keys).count().where(F.col("count") > 1).isEmpty()
    assert rows.schema.simpleString() == lake.createDataFrame([], view.schema).schema.simpleString()


def test_rows_that_a_watermark_would_drop_stop_the_app_instead(lake: SparkSession, skewed_log: Log) -> None:
    """Catching up in small batches would lose the days of the slower partitions: that must be seen."""
    view = skewed_log.view(catalog.view("page_views_per_minute_received"))
    with pytest.raises(StreamingQueryException, match=r"lost \d+ rows to the watermark"):
        run(lake, job_of(lake, skewed_log, view), most=300)
