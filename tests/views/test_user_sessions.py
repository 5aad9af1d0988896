from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.user_sessions import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE_VIEWS = "event_time TIMESTAMP, event_id STRING, user_id STRING, page STRING"


def test_session_is_over_after_ten_idle_minutes(spark: SparkSession) -> None:
    """Ten to the millisecond are not yet over; a single page is a session of no length."""
    exactly, and_a_bit = at(minutes=10), at(minutes=20, seconds=0.001)
    page_views = dataframe(
        spark,
        [
            (and_a_bit, "e3", "ada", "/back"),
            (exactly, "e2", "ada", "/cart"),
            (at(), "e1", "ada", "/home"),
            (at(minutes=5), "e4", "bob", "/sale"),
        ],
        PAGE_VIEWS,
    )
    expected = dataframe(
        spark,
        [
            (at(), exactly, "ada", 2, 600.0, "/home", "/cart"),
            (and_a_bit, and_a_bit, "ada", 1, 0.0, "/back", "/back"),
            (at(minutes=5), at(minutes=5), "bob", 1, 0.0, "/sale", "/sale"),
        ],
        VIEW.schema,
    )
    assertDataFrameEqual(transform(page_views), expected)


def test_page_view_between_two_sessions_makes_them_one(spark: SparkSession) -> None:
    apart = [(at(), "e1", "ada", "/home"), (at(minutes=18), "e2", "ada", "/exit")]
    between = (at(minutes=9), "e3", "ada", "/cart")
    assertDataFrameEqual(
        transform(dataframe(spark, apart, PAGE_VIEWS)),
        dataframe(
            spark,
            [
                (at(), at(), "ada", 1, 0.0, "/home", "/home"),
                (at(minutes=18), at(minutes=18), "ada", 1, 0.0, "/exit", "/exit"),
            ],
            VIEW.schema,
        ),
    )
    assertDataFrameEqual(
        transform(dataframe(spark, [*apart, between], PAGE_VIEWS)),
        dataframe(spark, [(at(), at(minutes=18), "ada", 3, 1080.0, "/home", "/exit")], VIEW.schema),
    )


def test_pages_at_the_same_moment_are_told_apart_by_their_ids(spark: SparkSession) -> None:
    page_views = dataframe(
        spark, [(at(), "e2", "ada", "/b"), (at(), "e3", "ada", "/a"), (at(), "e1", "ada", "/c")], PAGE_VIEWS
    )
    expected = dataframe(spark, [(at(), at(), "ada", 3, 0.0, "/c", "/a")], VIEW.schema)
    assertDataFrameEqual(transform(page_views), expected)
