"""Clicks on advertisements that were not shown to anybody in the ten minutes before: too late, or forged.

The other side of `ad_clicks`: what that join leaves over.

    shown ●─────────── 12 min ──────────● clicked       stray: the time was over
                                        ● clicked       stray: nobody was shown anything

A click is here once it is certain that no impression for it is still on its way.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(clicks: DataFrame, impressions: DataFrame) -> DataFrame:
    """Keep the clicks that have no impression."""
    clicked = clicks.select(
        F.col("event_time").alias("clicked_at"),
        F.col("event_id").alias("click_id"),
        "impression_id",
        "user_id",
    )
    shown = impressions.select(F.col("impression_id").alias("shown"), F.col("event_time").alias("shown_at"))
    ten_minutes_before = F.col("shown_at").between(
        F.col("clicked_at") - F.expr("INTERVAL 10 MINUTES"), F.col("clicked_at")
    )
    its_impression = (F.col("impression_id") == F.col("shown")) & ten_minutes_before
    joined = clicked.join(shown, on=its_impression, how="left")
    return joined.where("shown IS NULL").select("clicked_at", "click_id", "impression_id", "user_id")


VIEW = View(
    name="stray_clicks",
    version=1,
    app="insights",
    owner="advertising",
    inputs=("clicks", "impressions"),
    transform=transform,
    schema="clicked_at TIMESTAMP, click_id STRING, impression_id STRING, user_id STRING",
    keys=("clicked_at", "click_id"),
    time="clicked_at",
    window=timedelta(0),
    look_back=timedelta(minutes=10),
    grain="event",
    mode="append",
    disorder=timedelta(minutes=2),
)
