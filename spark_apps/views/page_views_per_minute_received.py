"""Page views per minute and page, by the time at which the server received them.

The naive twin of `page_views_per_minute`, kept to show the difference. It counts what came in at the door,
repeats included, by the door's own clock. When devices or the door were down for a while, what happened
meanwhile arrives all at once, and this view shows a spike that never took place:

    looked    ··●··●··●··●··●··●··●··●··      a quiet hour
    received  ··●··●···············●●●●●●·    the same hour, as the door saw it

Rows are only ever appended: a minute is written once, when it is over.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(page_views: DataFrame) -> DataFrame:
    """Count arrivals per minute and page."""
    minute = F.window("received_at", "1 minute").alias("minute")
    counted = page_views.groupBy(minute, "page").agg(F.count(F.lit(1)).alias("views"))
    return counted.select(F.col("minute.start").alias("minute_at"), "page", "views")


VIEW = View(
    name="page_views_per_minute_received",
    version=1,
    app="traffic",
    owner="web-analytics",
    inputs=("page_views",),
    transform=transform,
    schema="minute_at TIMESTAMP, page STRING, views BIGINT",
    keys=("minute_at", "page"),
    time="minute_at",
    window=timedelta(minutes=1),
    mode="append",
    trigger=timedelta(seconds=30),
    clock="received_at",
    lateness=timedelta(0),
    repeats="keep",
    disorder=timedelta(minutes=2),
    freshness=timedelta(minutes=5),
    checks=(
        Check(
            expectation="expect_column_values_to_be_between", arguments={"column": "views", "min_value": 1}
        ),
    ),
)
