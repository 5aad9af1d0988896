from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.home_timelines import MOST, VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at
from tests.present_tables import table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_timeline_has_the_posts_of_those_one_follows_and_no_others(spark: SparkSession) -> None:
    posts = table(
        spark,
        "post_changelog",
        {"post_id": "p1", "user_id": "ada", "body": "first", "posted_at": at()},
        {"post_id": "p2", "user_id": "eve", "body": "unheard", "posted_at": at()},
        {"post_id": "p3", "user_id": "ada", "gone": True},
    )
    follows = table(spark, "follow_changelog", {"follow_id": "f", "follower_id": "ben", "followed_id": "ada"})
    expected = dataframe(spark, [("ben", "p1", "ada", "first", at(), None)], VIEW.schema)
    assertDataFrameEqual(transform(posts, follows), expected)


def test_timeline_has_the_newest_hundred(spark: SparkSession) -> None:
    written = [
        {"post_id": f"p{number:03d}", "user_id": "ada", "posted_at": at(minutes=number)}
        for number in range(MOST + 5)
    ]
    posts = table(spark, "post_changelog", *written)
    follows = table(spark, "follow_changelog", {"follow_id": "f", "follower_id": "ben", "followed_id": "ada"})
    seen = {row["post_id"] for row in transform(posts, follows).collect()}
    assert seen == {f"p{number:03d}" for number in range(5, MOST + 5)}
