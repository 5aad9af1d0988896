"""Carts as they are now: one row for each, with what is in it and whether it was checked out.

    ItemAdded   ItemAdded   QuantityChanged   CheckedOut
    lamp:1      lamp:1      lamp:3            lamp:3          ──►  lamp:3 tent:1, version 4, checked out
                tent:1      tent:1            tent:1

Every event tells the cart after it, so nothing has to be added up: the row of the latest event is the cart.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(cart_events: DataFrame) -> DataFrame:
    """Return the cart after each event; the latest one stays."""
    return cart_events.select(
        F.col("event_time").alias("changed_at"),
        *("cart_id", "user_id", "contents", "version"),
        (F.col("kind") == "CheckedOut").alias("checked_out"),
        "began_at",
    )


VIEW = View(
    name="carts",
    version=1,
    app="insights",
    owner="checkout",
    inputs=("cart_events",),
    transform=transform,
    schema=(
        "changed_at TIMESTAMP, cart_id STRING, user_id STRING, contents STRING, version BIGINT, "
        "checked_out BOOLEAN, began_at TIMESTAMP"
    ),
    keys=("began_at", "cart_id"),
    time="began_at",
    closes="CASE WHEN checked_out THEN changed_at END",
    uncut="a cart that nobody checks out may change at any time",
    grain="event",
    mode="upsert",
    prefers=("changed_at DESC",),
    repeats="keep",  # the log has each event once
    freshness=timedelta(minutes=3),
    checks=(
        Check(
            expectation="expect_column_values_to_be_between", arguments={"column": "version", "min_value": 1}
        ),
    ),
)
