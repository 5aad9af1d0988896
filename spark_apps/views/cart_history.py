"""Carts as they were: what was in a cart, from when until when.

    ItemAdded            QuantityChanged        CheckedOut
    [lamp:1 · · · · · · )[lamp:3 · · · · · · · )[lamp:3, checked out · · ·
    held_from            held_until

An event begins a stretch, and ends the one before it. It tells the cart after it and before, so both are rows
of the event itself: whichever stretch is told with its end stays.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BEGUN = """struct(
    event_time AS held_from, CAST(NULL AS TIMESTAMP) AS held_until,
    version, contents, kind = 'CheckedOut' AS checked_out)"""
ENDED = """struct(
    previous_at AS held_from, event_time AS held_until,
    version - 1 AS version, contents_before AS contents, false AS checked_out)"""


def transform(cart_events: DataFrame) -> DataFrame:
    """Return the stretch that each event begins, and the one that it ends."""
    both = cart_events.select("cart_id", "user_id", F.expr(f"inline(array({BEGUN}, {ENDED}))"))
    known = both.where("held_from IS NOT NULL")  # the first event ends nothing
    return known.select("held_from", "held_until", "cart_id", "version", "user_id", "contents", "checked_out")


VIEW = View(
    name="cart_history",
    version=1,
    app="insights",
    owner="checkout",
    inputs=("cart_events",),
    transform=transform,
    schema=(
        "held_from TIMESTAMP, held_until TIMESTAMP, cart_id STRING, version BIGINT, user_id STRING, "
        "contents STRING, checked_out BOOLEAN"
    ),
    keys=("held_from", "cart_id"),
    time="held_from",
    closes="CASE WHEN checked_out THEN held_from ELSE held_until END",
    uncut="the newest stretch of a cart may end at any time",
    grain="event",
    mode="upsert",
    prefers=("held_until",),
    repeats="keep",  # the log has each event once
    freshness=timedelta(minutes=3),
    checks=(
        Check(
            expectation="expect_column_pair_values_a_to_be_greater_than_b",
            arguments={"column_A": "held_until", "column_B": "held_from"},
        ),
    ),
)
