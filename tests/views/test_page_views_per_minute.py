from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.page_views_per_minute import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVENTS = "event_time TIMESTAMP, page STRING, late BOOLEAN"


def test_views_are_counted_in_the_minute_in_which_people_looked(spark: SparkSession) -> None:
    page_views = dataframe(
        spark,
        [
            (at(seconds=0), "/home", False),
            (at(seconds=59.999), "/home", False),
            (at(minutes=1), "/home", False),
            (at(seconds=10), "/cart", False),
        ],
        EVENTS,
    )
    expected = dataframe(
        spark, [(at(), "/home", 2, 1), (at(minutes=1), "/home", 1, 1), (at(), "/cart", 1, 1)], VIEW.schema
    )
    assertDataFrameEqual(transform(page_views), expected)


def test_each_late_event_raises_the_revision_of_its_minute(spark: SparkSession) -> None:
    page_views = dataframe(
        spark, [(at(), "/home", False), (at(), "/home", True), (at(), "/home", True)], EVENTS
    )
    assertDataFrameEqual(transform(page_views), dataframe(spark, [(at(), "/home", 3, 3)], VIEW.schema))
