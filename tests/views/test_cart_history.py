from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.cart_history import VIEW
from tests.dataframes import dataframe
from tests.log_records import at
from tests.views.cart_log import CartLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def history() -> CartLog:
    log = CartLog()
    log.wanted("a", 0, "add", "lamp", 1)
    log.wanted("b", 1, "add", "boots", 2)
    log.wanted("a", 2, "add", "tent", 1)
    log.wanted("a", 5, "remove", "lamp")
    log.wanted("a", 9, "check_out")
    return log


def test_every_event_begins_a_stretch_and_ends_the_one_before(spark: SparkSession) -> None:
    expected = [
        (at(0), at(2), "a", 1, "owner of a", "lamp:1", False),
        (at(2), at(5), "a", 2, "owner of a", "lamp:1 tent:1", False),
        (at(5), at(9), "a", 3, "owner of a", "tent:1", False),
        (at(9), None, "a", 4, "owner of a", "tent:1", True),
        (at(1), None, "b", 1, "owner of b", "boots:2", False),
    ]
    assertDataFrameEqual(history().rows(spark, VIEW), dataframe(spark, expected, VIEW.schema))


def test_stretch_that_began_before_the_log_is_known_by_its_end(spark: SparkSession) -> None:
    """As in a replay from the middle: the event tells what the cart was before it."""
    expected = [
        (at(2), at(5), "a", 2, "owner of a", "lamp:1 tent:1", False),
        (at(5), None, "a", 3, "owner of a", "tent:1", False),
    ]
    assertDataFrameEqual(history().rows(spark, VIEW, 3), dataframe(spark, expected, VIEW.schema))
