from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.page_views_per_minute_received import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_views_are_counted_in_the_minute_in_which_they_arrived(spark: SparkSession) -> None:
    page_views = dataframe(
        spark,
        [(at(minutes=-30), at(), "/home"), (at(), at(seconds=5), "/home"), (at(), at(minutes=1), "/home")],
        "event_time TIMESTAMP, received_at TIMESTAMP, page STRING",
    )
    expected = dataframe(spark, [(at(), "/home", 2), (at(minutes=1), "/home", 1)], VIEW.schema)
    assertDataFrameEqual(transform(page_views), expected)
