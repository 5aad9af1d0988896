"""Orders and revenue per country, by where people live now.

An aggregate over a join. When somebody moves, their orders leave one sum and enter another:

    ada (DE) ordered for 10, 20        DE: 2 orders, 30      FR: 1 order, 5
    ada moves to FR                    DE: none              FR: 3 orders, 35

A country is counted anew as a whole, from the rows as they are; nothing is added up from changes, so nothing
can drift. Cancelled orders do not count, nor do those of people who have left.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(users: DataFrame, orders: DataFrame, items: DataFrame) -> DataFrame:
    """Count the orders that stand, by the country of the person."""
    standing = orders.where("status <> 'cancelled'").select("order_id", "user_id")
    at_home = standing.join(users.select("user_id", "country"), on="user_id", how="inner")
    totals = items.groupBy("order_id").agg(F.sum(F.col("quantity") * F.col("price")).alias("total"))
    counted = (
        at_home.join(totals, on="order_id", how="left")
        .groupBy("country")
        .agg(F.count(F.lit(1)).alias("orders"), F.sum("total").alias("total"))
    )
    revenue = F.coalesce("total", F.lit(0)).cast("decimal(18, 2)")
    return counted.select("country", "orders", revenue.alias("revenue"))


VIEW = View(
    name="orders_by_country",
    version=1,
    app="insights",
    owner="sales",
    tables=("user_changelog", "order_changelog", "order_item_changelog"),
    transform=transform,
    schema="country STRING, orders BIGINT, revenue DECIMAL(18, 2)",
    keys=("country",),
    unit="country",
    touches={
        "user_changelog": "SELECT country FROM changed",
        "order_changelog": "SELECT country FROM changed JOIN user_changelog USING (user_id)",
        "order_item_changelog": (
            "SELECT country FROM changed JOIN order_changelog USING (order_id) "
            "JOIN user_changelog USING (user_id)"
        ),
    },
    mode="upsert",
    freshness=timedelta(minutes=3),
)
