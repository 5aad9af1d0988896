from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from headwater.topics import load_topics
from spark_apps import changelogs
from spark_apps.views.enriched_page_views import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from datetime import datetime

    from pyspark.sql import DataFrame, SparkSession

PROFILES = load_topics()["user_changelog"]
PAGE_VIEWS = "event_time TIMESTAMP, event_id STRING, user_id STRING, page STRING"


def profile(person: str, country: str, plan: str, since: datetime) -> tuple[object, ...]:
    return (person, person.title(), country, plan, since, False, None, 0, 0)


def farewell(person: str, when: datetime) -> tuple[object, ...]:
    return (person, None, None, None, when, True, None, 0, 0)


def history(spark: SparkSession, *changes: tuple[object, ...]) -> DataFrame:
    heard = dataframe(spark, [*changes], changelogs.change_schema(PROFILES))
    return changelogs.history(heard, PROFILES)


def test_page_view_has_the_profile_that_held_when_the_page_was_looked_at(spark: SparkSession) -> None:
    """[ FR free ·· )[ US pro ·· : to the millisecond, and whatever the order in which changes are heard."""
    profiles = history(
        spark,
        profile("ada", "US", "pro", at(minutes=5)),
        profile("ada", "FR", "free", at()),
        profile("bob", "DE", "plus", at()),
    )
    page_views = dataframe(
        spark,
        [
            (at(minutes=9), "e4", "ada", "/d"),
            (at(minutes=5), "e3", "ada", "/c"),
            (at(minutes=4, seconds=59.999), "e2", "ada", "/b"),
            (at(), "e1", "ada", "/a"),
            (at(minutes=9), "e5", "bob", "/e"),
        ],
        PAGE_VIEWS,
    )
    expected = dataframe(
        spark,
        [
            (at(), "e1", "ada", "/a", "FR", "free"),
            (at(minutes=4, seconds=59.999), "e2", "ada", "/b", "FR", "free"),
            (at(minutes=5), "e3", "ada", "/c", "US", "pro"),
            (at(minutes=9), "e4", "ada", "/d", "US", "pro"),
            (at(minutes=9), "e5", "bob", "/e", "DE", "plus"),
        ],
        VIEW.schema,
    )
    assertDataFrameEqual(transform(page_views, profiles), expected)


def test_someone_without_a_profile_yet_or_any_more_has_none_here(spark: SparkSession) -> None:
    profiles = history(
        spark,
        farewell("ada", at(minutes=5)),
        profile("ada", "FR", "free", at()),
        profile("ada", "IT", "plus", at(minutes=10)),
    )
    page_views = dataframe(
        spark,
        [
            (at(seconds=-0.001), "too early", "ada", "/"),
            (at(minutes=4), "known", "ada", "/"),
            (at(minutes=5), "gone", "ada", "/"),
            (at(minutes=10), "back", "ada", "/"),
            (at(minutes=4), "stranger", "eve", "/"),
        ],
        PAGE_VIEWS,
    )
    expected = dataframe(
        spark,
        [
            (at(seconds=-0.001), "too early", "ada", "/", None, None),
            (at(minutes=4), "known", "ada", "/", "FR", "free"),
            (at(minutes=5), "gone", "ada", "/", None, None),
            (at(minutes=10), "back", "ada", "/", "IT", "plus"),
            (at(minutes=4), "stranger", "eve", "/", None, None),
        ],
        VIEW.schema,
    )
    assertDataFrameEqual(transform(page_views, profiles), expected)
