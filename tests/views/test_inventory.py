from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.inventory import VIEW, transform
from tests.dataframes import dataframe
from tests.present_tables import table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_what_is_left_is_what_was_bought_in_less_what_stands_in_orders(spark: SparkSession) -> None:
    products = table(
        spark,
        "product_changelog",
        {"product_id": "tent", "title": "Tent", "supplied": 100},
        {"product_id": "lamp", "title": "Lamp", "supplied": 7},
    )
    items = table(
        spark,
        "order_item_changelog",
        {"item_id": "i1", "order_id": "paid", "product_id": "tent", "quantity": 2},
        {"item_id": "i2", "order_id": "cancelled", "product_id": "tent", "quantity": 30},
        {"item_id": "i3", "order_id": "deleted", "product_id": "tent", "quantity": 30},
    )
    orders = table(
        spark,
        "order_changelog",
        {"order_id": "paid", "status": "paid"},
        {"order_id": "cancelled", "status": "cancelled"},
        {"order_id": "deleted", "gone": True},
    )
    expected = dataframe(spark, [("tent", "Tent", 100, 2, 98), ("lamp", "Lamp", 7, 0, 7)], VIEW.schema)
    assertDataFrameEqual(transform(products, items, orders), expected)
