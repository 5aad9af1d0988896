"""What people want: how many pieces of each product were put into carts, taken out and bought, per hour.

    cart a   +2 lamps ──────── −1 lamp ─── check-out: 1 lamp, 1 tent
    cart b      +1 tent ─ +3 lamps ─────────────────────────────────  (left)
    lamp     added 5, removed 1, checked out 1

Another view of the same log as `carts`: there an event says what a cart is, here it says what was wanted.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LINES = """transform(map_entries(str_to_map(contents, ' ', ':')), line -> struct(
    line.key AS product_id, 0L AS added, 0L AS removed, CAST(line.value AS BIGINT) AS checked_out))"""
LINE = """array(struct(
    product_id, greatest(change, 0L) AS added, greatest(-change, 0L) AS removed, 0L AS checked_out))"""


def transform(cart_events: DataFrame) -> DataFrame:
    """Add up the pieces per hour and product."""
    hour = F.window("event_time", "1 hour").alias("hour")
    pieces = cart_events.select(
        "event_time", F.expr(f"inline(CASE WHEN kind = 'CheckedOut' THEN {LINES} ELSE {LINE} END)")
    )
    counted = pieces.groupBy(hour, "product_id").agg(
        *(F.sum(name).alias(name) for name in ("added", "removed", "checked_out"))
    )
    return counted.select(
        F.col("hour.start").alias("hour_at"), "product_id", "added", "removed", "checked_out"
    )


VIEW = View(
    name="product_demand",
    version=1,
    app="insights",
    owner="purchasing",
    inputs=("cart_events",),
    transform=transform,
    schema="hour_at TIMESTAMP, product_id STRING, added BIGINT, removed BIGINT, checked_out BIGINT",
    keys=("hour_at", "product_id"),
    time="hour_at",
    window=timedelta(hours=1),
    mode="upsert",
    # An event has the time of its command: after an outage of the decider some are older than others.
    late="correct",
    repeats="keep",  # the log has each event once
    checks=tuple(
        Check(expectation="expect_column_values_to_be_between", arguments={"column": name, "min_value": 0})
        for name in ("added", "removed", "checked_out")
    ),
)
