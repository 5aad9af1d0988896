from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.requests_last_minute import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REQUESTS = "event_time TIMESTAMP, event_id STRING, user_id STRING"


def test_requests_of_the_sixty_seconds_up_to_and_including_each_one_are_counted(spark: SparkSession) -> None:
    """One that is exactly sixty seconds ago is out; where the clock's minutes begin is no matter."""
    requests = dataframe(
        spark,
        [
            (at(seconds=100), "a4", "ada"),
            (at(seconds=40), "a1", "ada"),
            (at(seconds=99.999), "a3", "ada"),
            (at(seconds=40.001), "a2", "ada"),
            (at(seconds=60), "b3", "bob"),
            (at(seconds=0), "b1", "bob"),
            (at(seconds=0.001), "b2", "bob"),
        ],
        REQUESTS,
    )
    expected = dataframe(
        spark,
        [
            (at(seconds=40), "a1", "ada", 1),
            (at(seconds=40.001), "a2", "ada", 2),
            (at(seconds=99.999), "a3", "ada", 3),
            (at(seconds=100), "a4", "ada", 3),
            (at(seconds=0), "b1", "bob", 1),
            (at(seconds=0.001), "b2", "bob", 2),
            (at(seconds=60), "b3", "bob", 2),
        ],
        VIEW.schema,
    )
    assertDataFrameEqual(transform(requests), expected)


def test_requests_at_the_same_moment_count_each_other(spark: SparkSession) -> None:
    """Neither came first, so neither may depend on the order in which they are heard of."""
    requests = dataframe(
        spark,
        [(at(minutes=1), "b", "ada"), (at(minutes=1), "a", "ada"), (at(seconds=30), "c", "ada")],
        REQUESTS,
    )
    expected = dataframe(
        spark,
        [
            (at(minutes=1), "a", "ada", 3),
            (at(minutes=1), "b", "ada", 3),
            (at(seconds=30), "c", "ada", 1),
        ],
        VIEW.schema,
    )
    assertDataFrameEqual(transform(requests), expected)
