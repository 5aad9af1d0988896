"""Changelogs: the states of things, one record for each change, and what was true when.

    records   ada: free ──────── ada: pro ─────── ada: ∅
    history   [free · · · · · · )[pro · · · · · · )

A change holds from the time at which the log received it, which is the server's clock; an event is matched
with the state at its own event time. So a replay finds what the live stream found, although things have
changed since. What the log has compacted away is gone, for a replay as for everybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from spark_apps.clocks import fields_schema

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from headwater.topics import Topic


def changes(decoded: DataFrame, topic: Topic) -> DataFrame:
    """Turn decoded records into changes: the fields, from when on they hold, and whether it is a farewell."""
    # The record's own key, because it is what the log compacts by, and all that a farewell has.
    fields = [
        F.col("key").cast("string").alias(name) if name == topic.key else F.col(f"event.{name}").alias(name)
        for name in topic.fields
    ]
    return decoded.where("reason IS NULL").select(
        *fields,
        F.col("timestamp").alias("changed_at"),
        F.col("value").isNull().alias("gone"),
        "partition",
        "offset",
    )


def change_schema(topic: Topic) -> str:
    """Return the columns of a change, as SQL writes them."""
    return f"{fields_schema(topic)}, changed_at TIMESTAMP, gone BOOLEAN, partition INT, offset BIGINT"


def history(changes: DataFrame, topic: Topic) -> DataFrame:
    """Return what was true when: the topic's fields, `valid_from` and `valid_until` (null: still)."""
    of_one_key = Window.partitionBy(topic.key).orderBy("changed_at", "partition", "offset")
    stretches = changes.withColumn("valid_until", F.lead("changed_at").over(of_one_key))
    return stretches.where("NOT gone").select(
        *topic.fields, F.col("changed_at").alias("valid_from"), "valid_until"
    )


def held_at(time: str) -> Column:
    """Say whether a stretch of a history holds at a time."""
    begun = F.col(time) >= F.col("valid_from")
    over = F.col(time) >= F.col("valid_until")
    return begun & ~F.coalesce(over, F.lit(False))
