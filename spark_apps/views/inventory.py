"""What is left of each product: what was bought in, less what is in orders that stand.

    bought in   100 ─────────────────────────────────► 150
    order a          2 pieces ────────────╳ cancelled
    order b                 5 pieces ─────────────────────
    left        100  98     93            95           145

It is no counter that goes down with each message. Orders and their items are rows with keys, so an order that
is told twice is the same row twice, and counts once; one that is cancelled or deleted gives back.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(products: DataFrame, items: DataFrame, orders: DataFrame) -> DataFrame:
    """Take what is ordered off what was bought in."""
    standing = orders.where("status <> 'cancelled'").select("order_id")
    taken = (
        items.join(standing, on="order_id", how="left_semi")
        .groupBy("product_id")
        .agg(F.sum("quantity").alias("ordered"))
    )
    ordered = F.coalesce("ordered", F.lit(0))
    return products.join(taken, on="product_id", how="left").select(
        *("product_id", "title", "supplied"),
        ordered.alias("ordered"),
        (F.col("supplied") - ordered).alias("remaining"),
    )


VIEW = View(
    name="inventory",
    version=1,
    app="insights",
    owner="warehouse",
    tables=("product_changelog", "order_item_changelog", "order_changelog"),
    transform=transform,
    schema="product_id STRING, title STRING, supplied BIGINT, ordered BIGINT, remaining BIGINT",
    keys=("product_id",),
    unit="product_id",
    touches={
        "product_changelog": "SELECT product_id FROM changed",
        "order_item_changelog": "SELECT product_id FROM changed",
        "order_changelog": "SELECT product_id FROM changed JOIN order_item_changelog USING (order_id)",
    },
    grain="event",
    mode="upsert",
    freshness=timedelta(minutes=3),
    checks=(
        Check(
            expectation="expect_column_values_to_be_between",
            arguments={"column": "remaining", "min_value": 0},
            severity="warn",
        ),
    ),
)
