from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.resolving import resolved
from spark_apps.views.search_results_clicked import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEARCHES = "event_time TIMESTAMP, search_id STRING, user_id STRING, query STRING, results BIGINT"
CLICKS = "event_time TIMESTAMP, event_id STRING, search_id STRING, position BIGINT"


def test_search_has_the_click_of_its_half_hour_or_none(spark: SparkSession) -> None:
    """Thirty minutes to the millisecond are within; so is the same moment."""
    ids = ("exactly", "at once", "too late", "before", "never")
    searches = dataframe(spark, [(at(), name, "ada", "hat", 9) for name in ids], SEARCHES)
    clicks = dataframe(
        spark,
        [
            (at(minutes=30), "c1", "exactly", 3),
            (at(), "c2", "at once", 1),
            (at(minutes=30, seconds=0.001), "c3", "too late", 2),
            (at(seconds=-0.001), "c4", "before", 2),
            (at(minutes=1), "c5", "of nobody", 2),
        ],
        CLICKS,
    )
    expected = dataframe(
        spark,
        [
            (at(), "exactly", "ada", "hat", 9, at(minutes=30), "c1", 3, 1800.0),
            (at(), "at once", "ada", "hat", 9, at(), "c2", 1, 0.0),
            (at(), "too late", "ada", "hat", 9, None, None, None, None),
            (at(), "before", "ada", "hat", 9, None, None, None, None),
            (at(), "never", "ada", "hat", 9, None, None, None, None),
        ],
        VIEW.schema,
    )
    assertDataFrameEqual(resolved(transform(searches, clicks), VIEW), expected)


def test_first_click_counts_not_the_best_position(spark: SparkSession) -> None:
    """Of two clicks at the same moment it is the one with the lesser id; milliseconds are told."""
    searches = dataframe(spark, [(at(), "s1", "ada", "hat", 9), (at(), "s2", "ada", "hats", 9)], SEARCHES)
    clicks = dataframe(
        spark,
        [
            (at(seconds=50), "c2", "s1", 1),
            (at(seconds=40.125), "c1", "s1", 7),
            (at(seconds=2), "c4", "s2", 1),
            (at(seconds=2), "c3", "s2", 2),
        ],
        CLICKS,
    )
    expected = dataframe(
        spark,
        [
            (at(), "s1", "ada", "hat", 9, at(seconds=40.125), "c1", 7, 40.125),
            (at(), "s2", "ada", "hats", 9, at(seconds=2), "c3", 2, 2.0),
        ],
        VIEW.schema,
    )
    assertDataFrameEqual(resolved(transform(searches, clicks), VIEW), expected)
