from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.abandoned_carts import VIEW
from tests.dataframes import dataframe
from tests.log_records import at
from tests.views.cart_log import CartLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_cart_is_abandoned_after_thirty_minutes_without_an_event(spark: SparkSession) -> None:
    """To the millisecond they are not yet too long; who comes back and leaves again is told twice."""
    log = CartLog()
    log.wanted("left", 0, "add", "lamp", 2)
    log.wanted("left", 30, "add", "tent", 1)
    log.wanted("returned", 1, "add", "lamp", 1)
    log.wanted("returned", 32, "check_out")
    log.wanted("twice", 2, "add", "lamp", 1)
    log.wanted("twice", 40, "change", "lamp", 5)
    expected = [
        (at(30), "left", "owner of left", "lamp:2 tent:1", 2),
        (at(1), "returned", "owner of returned", "lamp:1", 1),
        (at(2), "twice", "owner of twice", "lamp:1", 1),
        (at(40), "twice", "owner of twice", "lamp:5", 2),
    ]
    assertDataFrameEqual(log.rows(spark, VIEW), dataframe(spark, expected, VIEW.schema))


def test_cart_that_was_checked_out_or_is_empty_is_not_abandoned(spark: SparkSession) -> None:
    log = CartLog()
    log.wanted("bought", 0, "add", "lamp", 1)
    log.wanted("bought", 0, "check_out")  # in the same millisecond
    log.wanted("emptied", 0, "add", "lamp", 1)
    log.wanted("emptied", 10, "remove", "lamp")
    assert log.rows(spark, VIEW).collect() == []
