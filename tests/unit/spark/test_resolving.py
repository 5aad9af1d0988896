"""Two rows with one key: the same one stays, whichever was heard of first."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from pyspark.testing import assertDataFrameEqual

from spark_apps.resolving import better, moved_ahead, resolved
from spark_apps.view import View
from spark_apps.views import failed_login_alerts
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "shown_at TIMESTAMP, clicked_at TIMESTAMP, click_id STRING"
ONE, TWO = at(minutes=1), at(minutes=2)
# From the best to the least; what has no time, or no id, comes after what has.
ORDERS = {
    ("clicked_at", "click_id"): [(ONE, "b"), (TWO, "a"), (TWO, "c"), (TWO, None), (None, None)],
    ("clicked_at DESC", "click_id"): [(TWO, "a"), (TWO, "c"), (TWO, None), (ONE, "b"), (None, None)],
}


def view(*prefers: str) -> View:
    def transform(rows: DataFrame) -> DataFrame:
        return rows

    return View(
        name="clicks_in_tests",
        version=1,
        app="tests",
        owner="tests",
        inputs=("clicks",),
        transform=transform,
        schema=SCHEMA,
        keys=("shown_at",),
        time="shown_at",
        window=timedelta(0),
        mode="upsert",
        prefers=prefers,
    )


@pytest.mark.parametrize("prefers", ORDERS)
def test_best_row_of_each_key_stays(spark: SparkSession, prefers: tuple[str, str]) -> None:
    best, second, *others = ORDERS[prefers]
    heard = [*((at(), *row) for row in (*others, best, second)), (ONE, *others[0]), (ONE, *second)]
    found = resolved(dataframe(spark, heard, SCHEMA), view(*prefers))
    assertDataFrameEqual(found, dataframe(spark, [(at(), *best), (ONE, *second)], SCHEMA))


@pytest.mark.parametrize("prefers", ORDERS)
def test_new_row_replaces_the_one_in_the_table_only_if_it_is_better(
    spark: SparkSession, prefers: tuple[str, str]
) -> None:
    """Every pair is tried: both ways to choose must agree, or a table would depend on its batches."""
    rows = [(place, *row) for place, row in enumerate(ORDERS[prefers])]
    ranked = dataframe(spark, rows, "place INT, clicked_at TIMESTAMP, click_id STRING")
    pairs = ranked.alias("changes").crossJoin(ranked.alias("kept"))
    wins = pairs.where(better(view(*prefers))).selectExpr("changes.place AS new", "kept.place AS old")
    places = range(len(rows))
    assert {(row.new, row.old) for row in wins.collect()} == {
        (new, old) for new in places for old in places if new < old
    }


def test_row_that_is_gone_is_not_there_and_the_mark_is_nothing_that_tables_have(spark: SparkSession) -> None:
    heard = [(at(), TWO, "gone", True), (ONE, TWO, "there", False)]
    rows = dataframe(spark, heard, f"{SCHEMA}, gone BOOLEAN")
    expected = dataframe(spark, [(ONE, TWO, "there")], SCHEMA)
    assertDataFrameEqual(resolved(rows, view()), expected)


def test_beginning_moves_ahead_of_the_nearest_row_of_the_same_person_that_was_told(
    spark: SparkSession,
) -> None:
    """Ada's second burst moves; her first is news, like Bob's, and what was never told has moved nowhere."""
    burst = failed_login_alerts.VIEW
    heard = [
        (ONE, "ada 1", "ada", ONE, False),
        (at(minutes=20), "ada 2", "ada", ONE, False),
        (at(minutes=21), "ada 3", "ada", ONE, True),
        (at(minutes=22), "ada 4", "ada", ONE, False),
        (at(minutes=20), "bob 1", "bob", ONE, False),
        (at(minutes=21), "bob 2", "bob", ONE, True),
    ]
    rows = dataframe(spark, heard, f"{burst.schema}, gone BOOLEAN")
    kept = dataframe(spark, [(at(minutes=21), "ada 3", "ada", ONE)], burst.schema)
    expected = dataframe(spark, [(at(minutes=20), "ada 2")], "failed_at TIMESTAMP, login_id STRING")
    assertDataFrameEqual(moved_ahead(rows, kept, burst), expected)
