"""What each person sees first: the newest hundred posts of those they follow.

A join of posts with follows, kept ready instead of computed at each look:

    ben follows ada ──┐
    ada posts ────────┴──►  ben's timeline: the post        edited: the new words
                                                            deleted, or unfollowed: gone

A post of somebody with many followers is written into many timelines; in return, to read one is to read its
rows. When a post leaves the hundred, an older one comes back.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from spark_apps.view import View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST = 100


def transform(posts: DataFrame, follows: DataFrame) -> DataFrame:
    """Give each follower the newest posts of those they follow."""
    written = posts.withColumnRenamed("user_id", "author_id")
    followed = follows.select("follower_id", F.col("followed_id").alias("author_id"))
    seen = written.join(followed, on="author_id", how="inner")
    newest_first = Window.partitionBy("follower_id").orderBy(F.desc("posted_at"), F.desc("post_id"))
    ranked = seen.withColumn("place", F.row_number().over(newest_first))
    return ranked.where(F.col("place") <= MOST).select(
        "follower_id", "post_id", "author_id", "body", "posted_at", "edited_at"
    )


VIEW = View(
    name="home_timelines",
    version=1,
    app="insights",
    owner="community",
    tables=("post_changelog", "follow_changelog"),
    transform=transform,
    schema=(
        "follower_id STRING, post_id STRING, author_id STRING, body STRING, "
        "posted_at TIMESTAMP, edited_at TIMESTAMP"
    ),
    keys=("follower_id", "post_id"),
    unit="follower_id",
    touches={
        "post_changelog": (
            "SELECT follower_id FROM changed JOIN follow_changelog ON followed_id = changed.user_id"
        ),
        "follow_changelog": "SELECT follower_id FROM changed",
    },
    grain="event",
    mode="upsert",
    freshness=timedelta(minutes=3),
)
