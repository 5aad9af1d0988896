"""Page views with the profile of the person as it was at that time.

A join of a stream with a table that changes. The table is a changelog topic, and all of its past is at hand:

    profile   [ free ······ )[ pro ··············· )
    views        ●      ●        ●        ●
                free   free     pro      pro

So the answer depends on when the page was looked at, not on when it was computed, and a replay gives the same
one although the profile has changed since. Someone who had no profile (yet, or any more) has none here.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.changelogs import held_at
from spark_apps.view import View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(page_views: DataFrame, profiles: DataFrame) -> DataFrame:
    """Look up the profile that held when the page was looked at."""
    viewed = page_views.select(
        F.col("event_time").alias("viewed_at"), F.col("event_id").alias("view_id"), "user_id", "page"
    )
    known = profiles.withColumnRenamed("user_id", "person")
    at_that_time = (F.col("user_id") == F.col("person")) & held_at("viewed_at")
    joined = viewed.join(known, on=at_that_time, how="left")
    return joined.select("viewed_at", "view_id", "user_id", "page", "country", "plan")


VIEW = View(
    name="enriched_page_views",
    version=1,
    app="insights",
    owner="web-analytics",
    inputs=("page_views",),
    tables=("user_changelog",),
    transform=transform,
    schema="viewed_at TIMESTAMP, view_id STRING, user_id STRING, page STRING, country STRING, plan STRING",
    keys=("viewed_at", "view_id"),
    time="viewed_at",
    window=timedelta(0),
    grain="event",
    mode="upsert",
)
