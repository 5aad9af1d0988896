from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.click_through_rates import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

AD_CLICKS = "event_time TIMESTAMP, ad_id STRING, clicked_at TIMESTAMP, late BOOLEAN"


def test_clicks_count_in_the_hour_in_which_the_advertisement_was_shown(spark: SparkSession) -> None:
    """The second was shown at the end of an hour and clicked in the next; one ad was never clicked."""
    ad_clicks = dataframe(
        spark,
        [
            (at(minutes=60), "shoes", None, False),
            (at(minutes=59, seconds=59.999), "shoes", at(minutes=65), False),
            (at(), "shoes", None, False),
            (at(minutes=30), "shoes", None, False),
            (at(minutes=30), "hats", None, False),
            (at(minutes=30), "bags", at(minutes=31), False),
        ],
        AD_CLICKS,
    )
    expected = dataframe(
        spark,
        [
            (at(), "shoes", 3, 1, 0.333333, 1),
            (at(minutes=60), "shoes", 1, 0, 0.0, 1),
            (at(), "hats", 1, 0, 0.0, 1),
            (at(), "bags", 1, 1, 1.0, 1),
        ],
        VIEW.schema,
    )
    assertDataFrameEqual(transform(ad_clicks), expected)


def test_each_late_row_raises_the_revision_of_its_hour(spark: SparkSession) -> None:
    ad_clicks = dataframe(
        spark,
        [
            (at(), "shoes", at(minutes=1), False),
            (at(), "shoes", None, True),
            (at(), "shoes", at(minutes=2), True),
            (at(), "shoes", None, True),
        ],
        AD_CLICKS,
    )
    expected = dataframe(spark, [(at(), "shoes", 4, 2, 0.5, 4)], VIEW.schema)
    assertDataFrameEqual(transform(ad_clicks), expected)
