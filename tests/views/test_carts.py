from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.carts import VIEW
from tests.dataframes import dataframe
from tests.log_records import at
from tests.views.cart_log import CartLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_cart_is_what_its_latest_event_tells(spark: SparkSession) -> None:
    log = CartLog()
    log.wanted("a", 0, "add", "lamp", 1)
    log.wanted("b", 1, "add", "boots", 2)
    log.wanted("a", 2, "add", "tent", 1)
    log.wanted("a", 2, "change", "lamp", 3)  # in the same millisecond
    log.wanted("b", 4, "remove", "boots")
    log.wanted("a", 5, "check_out")
    expected = [
        (at(5), "a", "owner of a", "lamp:3 tent:1", 4, True, at(0)),
        (at(4), "b", "owner of b", "", 2, False, at(1)),
    ]
    assertDataFrameEqual(log.rows(spark, VIEW), dataframe(spark, expected, VIEW.schema))


def test_order_in_which_events_are_heard_is_no_matter(spark: SparkSession) -> None:
    log = CartLog()
    log.wanted("a", 0, "add", "lamp", 1)
    log.wanted("a", 0, "add", "tent", 1)
    log.wanted("a", 0, "remove", "lamp")
    expected = [(at(seconds=0.002), "a", "owner of a", "tent:1", 3, False, at())]
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        assertDataFrameEqual(log.rows(spark, VIEW, *order), dataframe(spark, expected, VIEW.schema))
