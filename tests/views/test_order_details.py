from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.order_details import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at
from tests.present_tables import table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_order_has_its_items_its_person_and_the_newest_of_their_changes_as_revision(
    spark: SparkSession,
) -> None:
    ordered = {"status": "paid", "ordered_at": at()}
    orders = table(
        spark,
        "order_changelog",
        {"order_id": "o1", "user_id": "ada", "lsn": 10} | ordered,
        {"order_id": "o2", "user_id": "eve", "lsn": 11} | ordered,
    )
    items = table(
        spark,
        "order_item_changelog",
        {"item_id": "i1", "order_id": "o1", "quantity": 2, "price": Decimal("19.99"), "lsn": 12},
        {"item_id": "i2", "order_id": "o1", "quantity": 1, "price": Decimal("0.02"), "lsn": 13},
    )
    users = table(spark, "user_changelog", {"user_id": "ada", "country": "FR", "plan": "pro", "lsn": 20})
    expected = dataframe(
        spark,
        [
            ("o1", "ada", "paid", at(), "FR", "pro", 3, Decimal("40.00"), 20),
            ("o2", "eve", "paid", at(), None, None, 0, Decimal("0.00"), 11),
        ],
        VIEW.schema,
    )
    assertDataFrameEqual(transform(orders, items, users), expected)
