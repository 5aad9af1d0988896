"""Impressions of advertisements and what became of them: a click within ten minutes, or none.

A join of two streams, with an end to waiting:

    shown ●──── 4 min ────● clicked           a row at once, with the click
    shown ●──────── 10 min ────────┤          a row when the time is over, without
    shown ●─ 2 min ─● clicked ● again         one row, with the first click

Every impression has at most one row. Clicks that belong to no impression are in `stray_clicks`. "Over" is
decided by the log, not by a clock: when events are heard of that happened so much later that no click which
is not late can still be on its way. A click counts if it is received within ten minutes after it happened;
one that comes later finds the waiting over, and is counted as late.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Publication, View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Pair each impression with its clicks, or with nothing."""
    shown = impressions.select(F.col("event_time").alias("shown_at"), "impression_id", "ad_id", "user_id")
    clicked = clicks.select(
        F.col("impression_id").alias("of_impression"),
        F.col("event_time").alias("clicked_at"),
        F.col("event_id").alias("click_id"),
    )
    within_ten_minutes = F.col("clicked_at").between(
        F.col("shown_at"), F.col("shown_at") + F.expr("INTERVAL 10 MINUTES")
    )
    its_click = (F.col("impression_id") == F.col("of_impression")) & within_ten_minutes
    joined = shown.join(clicked, on=its_click, how="left")
    return joined.select("shown_at", "impression_id", "ad_id", "user_id", "clicked_at", "click_id")


VIEW = View(
    name="ad_clicks",
    version=1,
    app="insights",
    owner="advertising",
    inputs=("impressions", "clicks"),
    transform=transform,
    schema=(
        "shown_at TIMESTAMP, impression_id STRING, ad_id STRING, user_id STRING, "
        "clicked_at TIMESTAMP, click_id STRING"
    ),
    keys=("shown_at", "impression_id"),
    time="shown_at",
    window=timedelta(minutes=10),
    grain="event",
    mode="upsert",
    prefers=("clicked_at", "click_id"),
    publishes=Publication(topic="ad_clicks"),
    disorder=timedelta(minutes=2),
)
