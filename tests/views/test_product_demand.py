from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.views.product_demand import VIEW
from tests.dataframes import dataframe
from tests.log_records import at
from tests.views.cart_log import CartLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_pieces_are_counted_where_they_are_put_in_taken_out_and_bought(spark: SparkSession) -> None:
    log = CartLog()
    log.wanted("a", 0, "add", "lamp", 2)
    log.wanted("b", 1, "add", "tent", 1)
    log.wanted("b", 2, "add", "lamp", 3)
    log.wanted("a", 3, "change", "lamp", 1)
    log.wanted("a", 4, "add", "tent", 1)
    log.wanted("b", 5, "change", "tent", 4)
    log.wanted("b", 6, "remove", "tent")
    log.wanted("a", 61, "check_out")
    expected = [
        (at(0), "lamp", 5, 1, 0),
        (at(0), "tent", 5, 4, 0),
        (at(60), "lamp", 0, 0, 1),
        (at(60), "tent", 0, 0, 1),
    ]
    assertDataFrameEqual(log.rows(spark, VIEW), dataframe(spark, expected, VIEW.schema))
