"""Carts that somebody filled and left: no event for half an hour, and not checked out.

    cart a   ●──●─────●· · · 30 idle · · ·│ abandoned          ●──● back, checked out
    cart b   ●─●──✓ checked out

A session window for each cart: it is over when nothing happened for thirty minutes, and the last event in it
tells what was left. Each time is a row, written once; whoever comes back and leaves again is a second one.

That nothing happened is certain only when nothing older can come any more, which is half an hour later: the
events of a decider that was away for a while have the times of their commands.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(cart_events: DataFrame) -> DataFrame:
    """Return what was in a cart when somebody left it."""
    visit = F.session_window("event_time", "30 minutes").alias("visit")
    event = F.struct("event_time", "version", "user_id", "contents", "kind")
    left = cart_events.groupBy("cart_id", visit).agg(F.max_by(event, "version").alias("last"))
    abandoned = left.where("last.kind <> 'CheckedOut' AND last.contents <> ''")
    return abandoned.select(
        F.col("last.event_time").alias("idle_since"),
        "cart_id",
        *(F.col(f"last.{name}").alias(name) for name in ("user_id", "contents", "version")),
    )


VIEW = View(
    name="abandoned_carts",
    version=1,
    app="insights",
    owner="marketing",
    inputs=("cart_events",),
    transform=transform,
    schema="idle_since TIMESTAMP, cart_id STRING, user_id STRING, contents STRING, version BIGINT",
    keys=("idle_since", "cart_id"),
    time="idle_since",
    window=timedelta(minutes=30),
    look_back=timedelta(minutes=30),  # whether an event is the last of its visit depends on those around it
    grain="event",
    mode="append",
    repeats="keep",  # the log has each event once
    disorder=timedelta(minutes=20),
    freshness=timedelta(minutes=5),
)
