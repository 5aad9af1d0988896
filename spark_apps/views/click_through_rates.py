"""How often an advertisement is clicked, per hour in which it was shown.

Made from the rows of `ad_clicks`, which come in over its output topic: a view of a view.

    shown    12:00 ─────────────────────── 13:00
    decided      ●   ●  ●     ●    ●   ●    │  ●   ●     clicked after all, or never
    revision     1   1  1     1    1   1    │  2   3

An impression is heard of when it was clicked, or when nobody did in time; so an hour is counted again, with a
higher `revision`, as clicks that came late are paired and the impressions of its end are decided one by one.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(ad_clicks: DataFrame) -> DataFrame:
    """Count impressions and clicks per hour and advertisement."""
    hour = F.window("event_time", "1 hour").alias("hour")
    counted = ad_clicks.groupBy(hour, "ad_id").agg(
        F.count(F.lit(1)).alias("impressions"),
        F.count("clicked_at").alias("clicks"),
        (F.count_if("late") + 1).alias("revision"),
    )
    return counted.select(
        F.col("hour.start").alias("hour_at"),
        "ad_id",
        "impressions",
        "clicks",
        F.round(F.col("clicks") / F.col("impressions"), 6).alias("rate"),
        "revision",
    )


VIEW = View(
    name="click_through_rates",
    version=1,
    app="insights",
    owner="advertising",
    inputs=("ad_clicks",),
    transform=transform,
    schema="hour_at TIMESTAMP, ad_id STRING, impressions BIGINT, clicks BIGINT, rate DOUBLE, revision BIGINT",
    keys=("hour_at", "ad_id"),
    time="hour_at",
    window=timedelta(hours=1),
    mode="upsert",
    late="correct",
    checks=(
        Check(
            expectation="expect_column_values_to_be_between",
            arguments={"column": "rate", "min_value": 0, "max_value": 1},
        ),
    ),
)
