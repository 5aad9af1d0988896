"""Visits of the shop: a session begins with a page view and is over after ten idle minutes.

    ada  ●──●─●────●            ●──●
         └ 4 pages ┘ 10 idle    └ 2 pages

A session window has no fixed length: each page view opens one of ten minutes, and those that overlap or touch
are merged, so ten minutes to the millisecond are not yet too long. A page view that arrives out of order may
lie between two sessions and make them one; so a session is written when it is over for certain, once. A page
view that is late (more than ten minutes) would still tear sessions apart that readers have seen; it is kept
in a table of its own, `late.user_sessions__v1__page_views`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(page_views: DataFrame) -> DataFrame:
    """Gather page views into sessions."""
    session = F.session_window("event_time", "10 minutes").alias("session")
    moment = F.struct("event_time", "event_id")  # two pages at the same time still have an order
    gathered = page_views.groupBy("user_id", session).agg(
        F.count(F.lit(1)).alias("pages"),
        F.max("event_time").alias("ended_at"),
        F.min_by("page", moment).alias("entry_page"),
        F.max_by("page", moment).alias("exit_page"),
    )
    return gathered.select(
        F.col("session.start").alias("started_at"),
        "ended_at",
        "user_id",
        "pages",
        ((F.unix_millis("ended_at") - F.unix_millis("session.start")) / 1000).alias("seconds"),
        "entry_page",
        "exit_page",
    )


VIEW = View(
    name="user_sessions",
    version=1,
    app="insights",
    owner="web-analytics",
    inputs=("page_views",),
    transform=transform,
    schema=(
        "started_at TIMESTAMP, ended_at TIMESTAMP, user_id STRING, pages BIGINT, seconds DOUBLE, "
        "entry_page STRING, exit_page STRING"
    ),
    keys=("started_at", "user_id"),
    time="started_at",
    window=timedelta(minutes=10),
    closes="ended_at + INTERVAL 10 MINUTES",
    look_back=timedelta(minutes=10),  # one that begins earlier may be the rest of a longer one
    grain="event",
    mode="append",
    late="separate",
    freshness=timedelta(minutes=5),
    checks=(
        Check(
            expectation="expect_column_values_to_be_between", arguments={"column": "pages", "min_value": 1}
        ),
        Check(
            expectation="expect_column_values_to_be_between", arguments={"column": "seconds", "min_value": 0}
        ),
    ),
)
