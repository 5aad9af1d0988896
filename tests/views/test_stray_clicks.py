from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.stray_clicks import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CLICKS = "event_time TIMESTAMP, event_id STRING, impression_id STRING, user_id STRING"
IMPRESSIONS = "event_time TIMESTAMP, impression_id STRING"


def test_click_without_an_impression_in_the_ten_minutes_before_is_stray(spark: SparkSession) -> None:
    """What `ad_clicks` takes is not here, to the millisecond; and what it leaves over is."""
    ids = ("exactly", "at once", "too late", "before")
    impressions = dataframe(spark, [(at(), name) for name in ids], IMPRESSIONS)
    clicks = dataframe(
        spark,
        [
            (at(minutes=10), "c1", "exactly", "ada"),
            (at(), "c2", "at once", "ada"),
            (at(minutes=10, seconds=0.001), "c3", "too late", "ada"),
            (at(seconds=-0.001), "c4", "before", "ada"),
            (at(minutes=1), "c5", "of nobody", "bob"),
        ],
        CLICKS,
    )
    expected = dataframe(
        spark,
        [
            (at(minutes=10, seconds=0.001), "c3", "too late", "ada"),
            (at(seconds=-0.001), "c4", "before", "ada"),
            (at(minutes=1), "c5", "of nobody", "bob"),
        ],
        VIEW.schema,
    )
    assertDataFrameEqual(transform(clicks, impressions), expected)


def test_every_click_on_nothing_is_stray_and_no_further_click_on_an_impression(
    spark: SparkSession,
) -> None:
    impressions = dataframe(spark, [(at(), "shown")], IMPRESSIONS)
    clicks = dataframe(
        spark,
        [
            (at(minutes=1), "c1", "shown", "ada"),
            (at(minutes=2), "c2", "shown", "ada"),
            (at(minutes=1), "c3", "forged", "eve"),
            (at(minutes=1), "c4", "forged", "eve"),
        ],
        CLICKS,
    )
    expected = dataframe(
        spark, [(at(minutes=1), "c3", "forged", "eve"), (at(minutes=1), "c4", "forged", "eve")], VIEW.schema
    )
    assertDataFrameEqual(transform(clicks, impressions), expected)
