"""Page views per minute and page, by the time at which people looked.

A tumbling window over event time: each view of a page belongs to exactly one minute.

    12:00        12:01        12:02
      |--●--●-----|-----●------|---
           2 views   1 view

An event that arrives late is not dropped: its minute is counted again and the row gets a higher `revision`
(one more for each late event in it), so a reader can tell a corrected row from a first one. After an outage
this view shows no false spike: compare `page_views_per_minute_received`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(page_views: DataFrame) -> DataFrame:
    """Count page views per minute and page."""
    minute = F.window("event_time", "1 minute").alias("minute")
    counted = page_views.groupBy(minute, "page").agg(
        F.count(F.lit(1)).alias("views"),
        (F.count_if("late") + 1).alias("revision"),
    )
    return counted.select(F.col("minute.start").alias("minute_at"), "page", "views", "revision")


VIEW = View(
    name="page_views_per_minute",
    version=1,
    app="traffic",
    owner="web-analytics",
    inputs=("page_views",),
    transform=transform,
    schema="minute_at TIMESTAMP, page STRING, views BIGINT, revision BIGINT",
    keys=("minute_at", "page"),
    time="minute_at",
    window=timedelta(minutes=1),
    mode="upsert",
    trigger=timedelta(seconds=30),
    freshness=timedelta(minutes=1),
    late="correct",
    checks=(
        Check(
            expectation="expect_column_values_to_be_between", arguments={"column": "views", "min_value": 1}
        ),
    ),
)
