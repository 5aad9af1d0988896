"""Bounds of a batch: wide enough for its rows, and the same for many batches."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from spark_apps import sinks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

# The night in which clocks in Berlin are set back: there, both of these are half past two.
HALF_PAST, AN_HOUR_LATER = (
    datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
    datetime(2026, 10, 25, 1, 30, tzinfo=UTC),
)


@pytest.fixture(params=["UTC", "Europe/Berlin"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def at(spark: SparkSession, *times: datetime) -> DataFrame:
    moments = [(f"{moment:%Y-%m-%d %H:%M:%S}",) for moment in times]
    return spark.createDataFrame(moments, "told STRING").selectExpr("CAST(told AS TIMESTAMP) AS at")


def test_bounds_are_the_hours_around_the_rows(spark: SparkSession, zone: str) -> None:
    bounds = sinks.bounds_of(at(spark, AN_HOUR_LATER, HALF_PAST), "at")
    assert bounds == {
        "found": 2,
        "first": datetime(2026, 10, 25, 0, tzinfo=UTC),
        "last": datetime(2026, 10, 25, 2, tzinfo=UTC),
    }


def test_rows_lie_between_their_bounds_whatever_zone_the_machine_is_in(
    spark: SparkSession, zone: str
) -> None:
    rows = at(spark, AN_HOUR_LATER)
    bounds = sinks.bounds_of(rows, "at")
    rows.createOrReplaceTempView("rows_with_bounds")
    found = spark.sql("SELECT * FROM rows_with_bounds WHERE at BETWEEN :first AND :last", args=bounds)
    assert found.count() == 1


def test_batches_of_one_hour_have_the_same_bounds(spark: SparkSession) -> None:
    batches = [at(spark, HALF_PAST.replace(minute=minute)) for minute in (1, 31, 59)]
    first, *others = [sinks.bounds_of(rows, "at") for rows in batches]
    assert all(bounds == first for bounds in others)


def test_no_rows_have_no_bounds(spark: SparkSession) -> None:
    assert sinks.bounds_of(at(spark, HALF_PAST).limit(0), "at") == {"found": 0}


def test_rows_without_a_time_are_counted(spark: SparkSession) -> None:
    assert sinks.bounds_of(spark.range(3).toDF("at")) == {"found": 3}
