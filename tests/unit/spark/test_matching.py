"""Rows of two makers side by side: every row of either has its verdict, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spark_apps import matching
from tests.dataframes import dataframe

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "page STRING, views BIGINT, share DOUBLE"
KEYS = ("page",)


@pytest.fixture(scope="module")
def matched(spark: SparkSession) -> DataFrame:
    live = [("/", 1, 0.1 + 0.2), (None, 2, 0.5), ("/b", 3, None), ("/c", 4, 0.5), ("/twice", 5, 0.5)]
    candidate = [("/", 1, 0.3), (None, 2, 0.5), ("/b", 3, 0.5), ("/d", 6, 0.5), ("/twice", 5, 0.5)]
    twice = [*live, ("/twice", 5, 0.5)]
    one, other = (dataframe(spark, rows, SCHEMA) for rows in (twice, candidate))
    return matching.match(one, other, KEYS).persist()


def test_every_row_has_a_verdict_and_a_doubled_row_is_not_taken_for_one(matched: DataFrame) -> None:
    assert matching.counts(matched) == {"equal": 3, "different": 1, "only_live": 2, "only_candidate": 1}


def test_samples_show_both_sides_of_what_differs_in_the_order_of_keys(matched: DataFrame) -> None:
    found = matching.samples(matched, KEYS)
    assert [sample.keys["page"] for sample in found] == ["/b", "/c", "/d", "/twice"]
    assert found[0].live == {"page": "/b", "views": "3", "share": "null"}
    assert found[0].candidate == {"page": "/b", "views": "3", "share": "0.5"}
    assert (found[1].candidate, found[2].live) == (None, None)


def test_columns_of_one_side_are_not_compared(spark: SparkSession) -> None:
    live = dataframe(spark, [("/", 1, 0.5)], SCHEMA)
    assert matching.counts(matching.match(live, live.drop("share"), KEYS)) == {"equal": 1}


def test_columns_that_need_not_agree_are_not_compared(spark: SparkSession) -> None:
    live, other = (dataframe(spark, [("/", 1, share)], SCHEMA) for share in (0.5, 0.25))
    assert matching.counts(matching.match(live, other, KEYS)) == {"different": 1}
    assert matching.counts(matching.match(live, other, KEYS, uncompared=("share",))) == {"equal": 1}
