"""New listings that somebody waits for: every listing is matched against all stored queries.

Search turned round: the queries are stored, the documents stream by. A stored query asks for words of the
title, a category, a highest price, or any of these together, and holds from the moment it is stored until it
is changed or deleted. One that asks for nothing, such as a form sent empty, gets nothing.

    stored   bike ≤ 200 ────────────────[ bike ≤ 400 ────────╳ deleted
    listed         ● bike 150     ● bike 300    ● bike 300        ● bike 100
                   alert                        alert

To compare every listing with every query would cost listings × queries. Instead each query is filed under one
thing that a match must have (its longest word, else its category, else nothing), and a listing only meets the
queries under its own words and category. So the cost grows with the queries that share a word with a listing,
not with all of them; queries that ask for nothing but a price meet every listing.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.changelogs import held_at
from spark_apps.view import Publication, View

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ANYTHING = "*"


def transform(listings: DataFrame, stored_queries: DataFrame) -> DataFrame:
    """Match each listing with the queries that were stored when it was listed."""
    listed = listings.select(
        F.col("event_time").alias("listed_at"),
        *("listing_id", "title", "category", "price"),
        _words("title").alias("title_words"),
    )
    sought = stored_queries.select(
        *("query_id", "user_id", "valid_from", "valid_until", "price_at_most"),
        _words("words").alias("sought_words"),
        F.col("category").alias("sought_category"),
    ).where(_asks_for_something())
    meeting = listed.withColumn("file", F.explode(_files_of_a_listing())).join(
        sought.withColumn("file", _file_of_a_query()), on="file", how="inner"
    )
    matched = meeting.where(_matches() & held_at("listed_at"))
    return matched.select("listed_at", "listing_id", "query_id", "user_id", "title", "category", "price")


def _asks_for_something() -> Column:
    has_words = F.size("sought_words") > 0
    return has_words | F.col("sought_category").isNotNull() | F.col("price_at_most").isNotNull()


def _matches() -> Column:
    has_words = F.size(F.array_except("sought_words", "title_words")) == 0
    in_category = F.col("sought_category").isNull() | (F.col("sought_category") == F.col("category"))
    cheap_enough = F.col("price_at_most").isNull() | (F.col("price") <= F.col("price_at_most"))
    return has_words & in_category & cheap_enough


def _file_of_a_query() -> Column:
    longest_word = F.array_max(
        F.transform("sought_words", lambda word: F.struct(F.length(word), word.alias("word")))
    )
    return F.coalesce(_word_file(longest_word["word"]), _category_file("sought_category"), F.lit(ANYTHING))


def _files_of_a_listing() -> Column:
    words = F.transform("title_words", _word_file)
    return F.concat(words, F.array(_category_file("category"), F.lit(ANYTHING)))


def _word_file(word: Column) -> Column:
    return F.concat(F.lit("word "), word)


def _category_file(category: str) -> Column:
    return F.concat(F.lit("category "), F.col(category))


def _words(text: str) -> Column:
    # (?U): letters are those of all languages, not of English alone.
    words = F.split(F.lower(F.coalesce(F.col(text), F.lit(""))), r"(?U)\W+")
    return F.array_distinct(F.filter(words, lambda word: word != ""))


VIEW = View(
    name="search_alerts",
    version=1,
    app="insights",
    owner="search",
    inputs=("listings",),
    tables=("stored_queries",),
    transform=transform,
    schema=(
        "listed_at TIMESTAMP, listing_id STRING, query_id STRING, user_id STRING, "
        "title STRING, category STRING, price DOUBLE"
    ),
    keys=("listed_at", "listing_id", "query_id"),
    time="listed_at",
    window=timedelta(0),
    grain="event",
    mode="upsert",
    publishes=Publication(
        topic="alerts",
        fields={
            "subject": "user_id",
            "kind": "'search'",
            "state": "'raised'",
            "message": "format_string('Listed in %s for %.2f: %s (%s).', category, price, title, listing_id)",
        },
    ),
    trigger=timedelta(minutes=1),
    freshness=timedelta(minutes=2),
)
