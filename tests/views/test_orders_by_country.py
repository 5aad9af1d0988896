from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.orders_by_country import VIEW, transform
from tests.dataframes import dataframe
from tests.present_tables import table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_orders_count_where_the_person_lives_unless_cancelled(spark: SparkSession) -> None:
    users = table(
        spark,
        "user_changelog",
        {"user_id": "ada", "country": "FR"},
        {"user_id": "ben", "country": "FR"},
        {"user_id": "cem", "gone": True},
    )
    orders = table(
        spark,
        "order_changelog",
        {"order_id": "o1", "user_id": "ada", "status": "paid"},
        {"order_id": "o2", "user_id": "ben", "status": "placed"},
        {"order_id": "o3", "user_id": "ben", "status": "cancelled"},
        {"order_id": "o4", "user_id": "cem", "status": "paid"},
    )
    items = table(
        spark,
        "order_item_changelog",
        {"item_id": "i1", "order_id": "o1", "quantity": 2, "price": Decimal("0.10")},
        {"item_id": "i2", "order_id": "o1", "quantity": 1, "price": Decimal("0.20")},
        {"item_id": "i3", "order_id": "o3", "quantity": 1, "price": Decimal("99.00")},
    )
    expected = dataframe(spark, [("FR", 2, Decimal("0.40"))], VIEW.schema)
    assertDataFrameEqual(transform(users, orders, items), expected)
