from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.order_details import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at
from tests.present_tables import table_seen_by

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

table = partial(table_seen_by, VIEW)


def test_order_has_its_items_its_person_and_the_newest_of_their_changes_as_revision(
    spark: SparkSession,
) -> None:
    ordered = {"status": "paid", "ordered_at": at()}
    orders = table(
        spark,
        "order_changelog",
        {"order_id": "o1", "user_id": "ada", "lsn": 10} | ordered,
        {"order_id": "o2", "user_id": "eve", "lsn": 11} | ordered,
        {"order_id": "o3", "lsn": 14, "gone": True},
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


def test_what_is_gone_counts_for_the_revision_and_for_nothing_else(spark: SparkSession) -> None:
    """Even if its farewell says what it was, as with a replica identity that is full."""
    ordered = {"status": "paid", "ordered_at": at()}
    orders = table(
        spark,
        "order_changelog",
        {"order_id": "o1", "user_id": "ada", "lsn": 10} | ordered,
        {"order_id": "o2", "user_id": "eve", "lsn": 10} | ordered,
    )
    price = {"quantity": 2, "price": Decimal("1.50")}
    items = table(
        spark,
        "order_item_changelog",
        {"item_id": "i1", "order_id": "o1", "lsn": 11} | price,
        {"item_id": "i2", "order_id": "o1", "lsn": 30, "gone": True} | price,
        {"item_id": "i3", "order_id": "o2", "lsn": 31, "gone": True},
    )
    users = table(
        spark,
        "user_changelog",
        {"user_id": "ada", "country": "FR", "plan": "pro", "lsn": 20},
        {"user_id": "eve", "country": "FR", "plan": "pro", "lsn": 32, "gone": True},
    )
    expected = dataframe(
        spark,
        [
            ("o1", "ada", "paid", at(), "FR", "pro", 2, Decimal("3.00"), 30),
            ("o2", "eve", "paid", at(), None, None, 0, Decimal("0.00"), 32),
        ],
        VIEW.schema,
    )
    assertDataFrameEqual(transform(orders, items, users), expected)
