"""What a version tells that takes over: what the one that spoke before it has not told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.testing import assertDataFrameEqual

from spark_apps.news import untold
from spark_apps.view import Publication
from spark_apps.views import ad_clicks, failed_login_alerts
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CLICKS, LOGINS = ad_clicks.VIEW, failed_login_alerts.VIEW
SHOWN = (at(), "i1", "ad", "ada", None, None)
CLICKED = (at(), "i1", "ad", "ada", at(minutes=1), "c1")
NEW = (at(minutes=2), "i2", "ad", "bob", None, None)
ADDED = "region STRING"


def clicks(spark: SparkSession, *rows: tuple[Any, ...], schema: str = CLICKS.schema) -> DataFrame:
    return dataframe(spark, rows, schema)


def bursts(spark: SparkSession, *minutes: float, user: str = "ada") -> DataFrame:
    rows = [(at(minutes=minute), f"failed at {minute}", user, at(minutes=minute)) for minute in minutes]
    return dataframe(spark, rows, LOGINS.schema)


def test_row_that_is_new_or_differs_was_not_told(spark: SparkSession) -> None:
    found = untold(clicks(spark, CLICKED, NEW), clicks(spark, SHOWN), CLICKS)
    assertDataFrameEqual(found, clicks(spark, CLICKED, NEW))


def test_row_that_was_told_is_not_told_again_also_if_it_holds_nothing(spark: SparkSession) -> None:
    gone = (at(minutes=9), "i9", "ad", "ada", None, None)
    assert untold(clicks(spark, SHOWN), clicks(spark, SHOWN, gone), CLICKS).isEmpty()


def test_new_column_alone_makes_no_news(spark: SparkSession) -> None:
    schema = f"{CLICKS.schema}, {ADDED}"
    now = clicks(spark, (*SHOWN, "north"), (*NEW, "south"), schema=schema)
    found = untold(now, clicks(spark, SHOWN), CLICKS)
    assertDataFrameEqual(found, clicks(spark, (*NEW, "south"), schema=schema))


def test_everything_is_news_where_records_are_told_apart_by_what_was_not_there(spark: SparkSession) -> None:
    view = replace(CLICKS, publishes=Publication(topic="ad_clicks", identity=("impression_id", "region")))
    schema = f"{CLICKS.schema}, {ADDED}"
    now = clicks(spark, (*SHOWN, "north"), schema=schema)
    assertDataFrameEqual(untold(now, clicks(spark, SHOWN), view), now)


def test_beginning_that_has_moved_ahead_was_told_where_it_was(spark: SparkSession) -> None:
    found = untold(bursts(spark, 2, 30), bursts(spark, 3), LOGINS)
    assertDataFrameEqual(found, bursts(spark, 30))
