"""Searches and the result that was clicked first, if any: at which position, and after how long.

The same join as `ad_clicks`, with half an hour to think:

    searched ●──── 40 s ────● third result clicked      position 3, after 40 seconds
    searched ●──────────── 30 min ────────────┤         nothing was clicked

Where people click far down, or not at all, the search should be better.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(searches: DataFrame, result_clicks: DataFrame) -> DataFrame:
    """Pair each search with its clicks, or with nothing."""
    searched = searches.select(
        F.col("event_time").alias("searched_at"), "search_id", "user_id", "query", "results"
    )
    clicked = result_clicks.select(
        F.col("search_id").alias("of_search"),
        F.col("event_time").alias("clicked_at"),
        F.col("event_id").alias("click_id"),
        "position",
    )
    within_half_an_hour = F.col("clicked_at").between(
        F.col("searched_at"), F.col("searched_at") + F.expr("INTERVAL 30 MINUTES")
    )
    its_click = (F.col("search_id") == F.col("of_search")) & within_half_an_hour
    joined = searched.join(clicked, on=its_click, how="left")
    waited = (F.unix_millis("clicked_at") - F.unix_millis("searched_at")) / 1000
    return joined.select(
        *("searched_at", "search_id", "user_id", "query", "results", "clicked_at", "click_id", "position"),
        waited.alias("seconds_to_click"),
    )


VIEW = View(
    name="search_results_clicked",
    version=1,
    app="insights",
    owner="search",
    inputs=("searches", "result_clicks"),
    transform=transform,
    schema=(
        "searched_at TIMESTAMP, search_id STRING, user_id STRING, query STRING, results BIGINT, "
        "clicked_at TIMESTAMP, click_id STRING, position BIGINT, seconds_to_click DOUBLE"
    ),
    keys=("searched_at", "search_id"),
    time="searched_at",
    window=timedelta(minutes=30),
    grain="event",
    mode="upsert",
    prefers=("clicked_at", "click_id"),
    disorder=timedelta(minutes=2),
    checks=(
        Check(
            expectation="expect_column_values_to_be_between",
            arguments={"column": "seconds_to_click", "min_value": 0, "max_value": 1800},
        ),
    ),
)
