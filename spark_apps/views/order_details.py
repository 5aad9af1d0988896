"""Orders with who ordered, what, and for how much.

A join of three tables, each of which may change at any time. An order is made anew when it changes, when one
of its items does, and when the person who ordered does:

    orders  ────●───────────────────────────
    items   ─────●●──────────●──────────────
    users   ──●───────────────────────●─────    ada moves from DE to FR
    rows         1  2        3        4         all orders of ada, with a higher `revision`

The `revision` is the place in the database's log of the newest change that shaped the row. It never falls:
what is gone still counts for it. Who has left has no country here, and keeps the orders. An item stays in the
order that it was made for.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(orders: DataFrame, items: DataFrame, users: DataFrame) -> DataFrame:
    """Join each order with its items and its person; of those that are gone only the `lsn` is left."""
    ordered = items.groupBy("order_id").agg(
        F.sum("quantity").alias("pieces"),
        F.sum(F.col("quantity") * F.col("price")).cast("decimal(18, 2)").alias("total"),
        F.max("lsn").alias("items_lsn"),
    )
    person = users.select("user_id", "country", "plan", F.col("lsn").alias("user_lsn"))
    there = orders.where("NOT gone")
    joined = there.join(ordered, on="order_id", how="left").join(person, on="user_id", how="left")
    return joined.select(
        *("order_id", "user_id", "status", "ordered_at", "country", "plan"),
        F.coalesce("pieces", F.lit(0)).alias("pieces"),
        F.coalesce("total", F.lit(0).cast("decimal(18, 2)")).alias("total"),
        F.greatest("lsn", "items_lsn", "user_lsn").alias("revision"),
    )


VIEW = View(
    name="order_details",
    version=2,
    app="insights",
    owner="sales",
    tables=("order_changelog", "order_item_changelog", "user_changelog"),
    transform=transform,
    schema=(
        "order_id STRING, user_id STRING, status STRING, ordered_at TIMESTAMP, country STRING, plan STRING, "
        "pieces BIGINT, total DECIMAL(18, 2), revision BIGINT"
    ),
    keys=("order_id",),
    unit="order_id",
    touches={
        "order_changelog": "SELECT order_id FROM changed",
        "order_item_changelog": "SELECT order_id FROM changed",
        "user_changelog": "SELECT order_id FROM changed JOIN order_changelog USING (user_id)",
    },
    farewells=True,
    grain="event",
    mode="upsert",
    freshness=timedelta(minutes=3),
    uncompared=("revision",),  # a changelog that was compacted does not tell any more of what is gone
    checks=(
        Check(
            expectation="expect_column_values_to_be_between",
            arguments={"column": "total", "min_value": 0},
        ),
    ),
)
