from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.resolving import resolved
from spark_apps.views.ad_clicks import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

IMPRESSIONS = "event_time TIMESTAMP, impression_id STRING, ad_id STRING, user_id STRING"
CLICKS = "event_time TIMESTAMP, event_id STRING, impression_id STRING"


def test_impression_has_the_click_of_its_ten_minutes_or_none(spark: SparkSession) -> None:
    """Ten minutes to the millisecond are within; so is the same moment."""
    ids = ("exactly", "at once", "too late", "before", "never")
    impressions = dataframe(spark, [(at(), name, "ad", "ada") for name in ids], IMPRESSIONS)
    clicks = dataframe(
        spark,
        [
            (at(minutes=10), "c1", "exactly"),
            (at(), "c2", "at once"),
            (at(minutes=10, seconds=0.001), "c3", "too late"),
            (at(seconds=-0.001), "c4", "before"),
            (at(minutes=1), "c5", "of nobody"),
        ],
        CLICKS,
    )
    expected = dataframe(
        spark,
        [
            (at(), "exactly", "ad", "ada", at(minutes=10), "c1"),
            (at(), "at once", "ad", "ada", at(), "c2"),
            (at(), "too late", "ad", "ada", None, None),
            (at(), "before", "ad", "ada", None, None),
            (at(), "never", "ad", "ada", None, None),
        ],
        VIEW.schema,
    )
    assertDataFrameEqual(resolved(transform(impressions, clicks), VIEW), expected)


def test_impression_that_is_clicked_again_keeps_its_first_click(spark: SparkSession) -> None:
    """Of two clicks at the same moment it is the one with the lesser id, whichever is heard of first."""
    impressions = dataframe(
        spark, [(at(), "i1", "ad", "ada"), (at(minutes=1), "i2", "ad", "ada")], IMPRESSIONS
    )
    clicks = dataframe(
        spark,
        [
            (at(minutes=3), "c3", "i1"),
            (at(minutes=2), "c1", "i1"),
            (at(minutes=4), "c5", "i2"),
            (at(minutes=4), "c4", "i2"),
        ],
        CLICKS,
    )
    expected = dataframe(
        spark,
        [
            (at(), "i1", "ad", "ada", at(minutes=2), "c1"),
            (at(minutes=1), "i2", "ad", "ada", at(minutes=4), "c4"),
        ],
        VIEW.schema,
    )
    assertDataFrameEqual(resolved(transform(impressions, clicks), VIEW), expected)
