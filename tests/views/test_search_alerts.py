from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.testing import assertDataFrameEqual

from headwater.topics import load_topics
from spark_apps import changelogs
from spark_apps.views.search_alerts import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import NOON, at

if TYPE_CHECKING:
    from datetime import datetime

    from pyspark.sql import DataFrame, SparkSession

QUERIES = load_topics()["stored_queries"]
LISTINGS = "event_time TIMESTAMP, listing_id STRING, title STRING, category STRING, price DOUBLE"


def query(
    name: str,
    *,
    words: str | None = None,
    category: str | None = None,
    price: float | None = None,
    since: datetime = NOON,
) -> tuple[object, ...]:
    return (name, "ada", words, category, price, since, False, None, 0, 0)


def deleted(name: str, when: datetime) -> tuple[object, ...]:
    return (name, None, None, None, None, when, True, None, 0, 0)


def matches(
    spark: SparkSession, listings: list[tuple[Any, ...]], queries: list[tuple[object, ...]]
) -> DataFrame:
    stored = dataframe(spark, queries, changelogs.change_schema(QUERIES))
    return transform(dataframe(spark, listings, LISTINGS), changelogs.history(stored, QUERIES))


def pairs(rows: DataFrame) -> set[tuple[str, str]]:
    found = [(row.listing_id, row.query_id) for row in rows.collect()]
    assert len(found) == len(set(found)), "a listing met a query twice"
    return set(found)


def test_listing_is_told_to_whoever_waits_for_it(spark: SparkSession) -> None:
    found = matches(
        spark,
        [
            (at(minutes=1), "l1", "Red bike", "sports", 9.5),
            (at(minutes=1), "l2", "Blue car", "cars", 9.5),
        ],
        [query("q1", words="bike", category="sports", price=200.0)],
    )
    expected = [(at(minutes=1), "l1", "q1", "ada", "Red bike", "sports", 9.5)]
    assertDataFrameEqual(found, dataframe(spark, expected, VIEW.schema))


def test_query_asks_for_words_a_category_a_price_or_any_of_these_together(spark: SparkSession) -> None:
    listings = [
        (at(), "bike", "Red bike, as new", "sports", 200.0),
        (at(), "dear bike", "Blue BIKE", "sports", 200.01),
        (at(), "lamp", "Lamp for a bike", "light", 20.0),
    ]
    queries = [
        query("word", words="bike"),
        query("price", price=200.0),
        query("category", category="sports"),
        query("word and price", words="bike", price=200.0),
        query("word and category", words="bike", category="light"),
        query("category and price", category="sports", price=200.0),
        query("too dear", words="bike", price=19.99),
    ]
    assert pairs(matches(spark, listings, queries)) == {
        *((listing, "word") for listing in ("bike", "dear bike", "lamp")),
        *((listing, "price") for listing in ("bike", "lamp")),
        *((listing, "category") for listing in ("bike", "dear bike")),
        *((listing, "word and price") for listing in ("bike", "lamp")),
        ("lamp", "word and category"),
        ("bike", "category and price"),
    }


def test_all_words_must_be_in_the_title_in_any_case_order_and_language(spark: SparkSession) -> None:
    listings = [
        (at(), "bike", "Red mountain-bike (red!)", "sports", 1.0),
        (at(), "rad", "RÄDER für Kinder", "sports", 1.0),
        (at(), "自転車", "赤い 自転車", "sports", 1.0),
    ]
    queries = [
        query("other case and order", words="BIKE  red, red"),
        query("one is missing", words="red bike blue"),
        query("part of a word", words="moun"),
        query("umlaut", words="räder"),
        query("other umlaut", words="rüder"),
        query("no letters of ours", words="自転車"),
    ]
    assert pairs(matches(spark, listings, queries)) == {
        ("bike", "other case and order"),
        ("rad", "umlaut"),
        ("自転車", "no letters of ours"),
    }


def test_query_that_asks_for_nothing_meets_nothing(spark: SparkSession) -> None:
    """An empty form is a slip, not the wish to hear of every listing there is."""
    queries = [query("empty"), query("blank", words=" "), query("no word", words="!?")]
    assert pairs(matches(spark, [(at(), "l1", "Red bike", "sports", 1.0)], queries)) == set()


def test_query_holds_from_when_it_is_stored_until_it_is_changed_or_deleted(spark: SparkSession) -> None:
    """≤ 200 ────[ ≤ 400 ────╳ : to the moment, and what counts is when the listing was put up."""
    listings = [(at(minutes=m), f"{m:g}", "bike", "sports", 300.0) for m in (4.9, 5, 9.9, 10)]
    listings += [(at(minutes=m), f"cheap {m:g}", "bike", "sports", 100.0) for m in (-0.1, 0, 9.9, 10)]
    queries = [
        deleted("q1", at(minutes=10)),
        query("q1", words="bike", price=400.0, since=at(minutes=5)),
        query("q1", words="bike", price=200.0),
    ]
    assert pairs(matches(spark, listings, queries)) == {
        (listing, "q1") for listing in ("5", "9.9", "cheap 0", "cheap 9.9")
    }
