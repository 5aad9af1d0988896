"""The few numbers of a live dashboard: page views a second, orders, alerts, and the worst endpoint.

Four streams become one, and every ten seconds a new minute begins:

    page views  ··●●·●●●·●··
    purchases   ·····●····●·      ──►  3.2 views a second, 5 orders, 1 alert, worst: /checkout
    requests    ●·●●·●●●·●·●
    alerts      ·······●····

The worst endpoint is the one with the most slow answers (half a second and more), none if all were fast. Each
change of a minute is told on the topic `live_figures`, with a `revision` that grows as events are counted.
"""

from __future__ import annotations

from datetime import timedelta
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_apps.view import Publication, View

if TYPE_CHECKING:
    from pyspark.sql import Column

SLOW = 500.0  # milliseconds
SECONDS = 60


def transform(
    page_views: DataFrame, purchases: DataFrame, requests: DataFrame, alerts: DataFrame
) -> DataFrame:
    """Count all four per minute."""
    slow = F.when(F.col("duration") >= SLOW, F.col("endpoint"))
    raised = alerts.where("state = 'raised'")
    told = [
        page_views.select("event_time", F.lit("view").alias("what"), _nothing()),
        purchases.select("event_time", F.lit("order").alias("what"), _nothing()),
        requests.select("event_time", F.lit("request").alias("what"), slow.alias("slow_endpoint")),
        raised.select("event_time", F.lit("alert").alias("what"), _nothing()),
    ]
    minute = F.window("event_time", f"{SECONDS} seconds", "10 seconds").alias("minute")
    counted = (
        reduce(DataFrame.union, told)
        .groupBy(minute)
        .agg(
            F.round(F.count_if(F.col("what") == "view") / SECONDS, 3).alias("views_per_second"),
            F.count_if(F.col("what") == "order").alias("orders"),
            F.count_if(F.col("what") == "alert").alias("alerts"),
            F.mode("slow_endpoint", deterministic=True).alias("worst_endpoint"),
            F.count(F.lit(1)).alias("revision"),
        )
    )
    return counted.select(
        F.col("minute.start").alias("from_at"),
        F.col("minute.end").alias("until_at"),
        *("views_per_second", "orders", "alerts", "worst_endpoint", "revision"),
    )


def _nothing() -> Column:
    return F.lit(None).cast("string").alias("slow_endpoint")


VIEW = View(
    name="live_figures",
    version=1,
    app="insights",
    owner="web-analytics",
    inputs=("page_views", "purchases", "requests", "alerts"),
    transform=transform,
    schema=(
        "from_at TIMESTAMP, until_at TIMESTAMP, views_per_second DOUBLE, orders BIGINT, alerts BIGINT, "
        "worst_endpoint STRING, revision BIGINT"
    ),
    keys=("from_at",),
    time="from_at",
    window=timedelta(minutes=1),
    hop=timedelta(seconds=10),
    mode="upsert",
    publishes=Publication(topic="live_figures", identity=("from_at", "revision")),
    trigger=timedelta(seconds=30),
    freshness=timedelta(minutes=1),
)
