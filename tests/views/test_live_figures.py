from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.testing import assertDataFrameEqual

from spark_apps.views.live_figures import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EVENTS = "event_time TIMESTAMP"
REQUESTS = "event_time TIMESTAMP, endpoint STRING, duration DOUBLE"
ALERTS = "event_time TIMESTAMP, state STRING"


def figures(
    spark: SparkSession,
    *,
    page_views: list[tuple[Any, ...]] | None = None,
    purchases: list[tuple[Any, ...]] | None = None,
    requests: list[tuple[Any, ...]] | None = None,
    alerts: list[tuple[Any, ...]] | None = None,
) -> DataFrame:
    return transform(
        dataframe(spark, page_views or [], EVENTS),
        dataframe(spark, purchases or [], EVENTS),
        dataframe(spark, requests or [], REQUESTS),
        dataframe(spark, alerts or [], ALERTS),
    )


def test_minute_counts_what_happened_in_it(spark: SparkSession) -> None:
    """Its first moment is in, the first of the next is not; alerts that are over are no news."""
    found = figures(
        spark,
        page_views=[(at(),), (at(seconds=59.999),), (at(seconds=60),)],
        purchases=[(at(seconds=30),)],
        requests=[(at(seconds=1), "/home", 20.0)],
        alerts=[(at(seconds=5), "raised"), (at(seconds=6), "cleared"), (at(seconds=7), "raised")],
    )
    noon = found.where(F.col("from_at") == at())
    expected = [(at(), at(minutes=1), 0.033, 1, 2, None, 6)]
    assertDataFrameEqual(noon, dataframe(spark, expected, VIEW.schema))


def test_new_minute_begins_every_ten_seconds(spark: SparkSession) -> None:
    found = figures(spark, purchases=[(at(seconds=5),)])
    starts = range(-50, 1, 10)
    expected = [(at(seconds=s), at(seconds=s + 60), 0.0, 1, 0, None, 1) for s in starts]
    assertDataFrameEqual(found, dataframe(spark, expected, VIEW.schema))


def test_worst_endpoint_is_the_one_with_the_most_slow_answers(spark: SparkSession) -> None:
    """Half a second is slow; many fast answers are no excuse; of two that are equally bad the name tells."""
    requests = [
        *[(at(), "/fast", 499.999)] * 4,
        (at(), "/search", 9000.0),
        *[(at(), "/checkout", 700.0), (at(), "/basket", 500.0)] * 2,
    ]
    found = figures(spark, requests=requests).where(F.col("from_at") == at())
    expected = [(at(), at(minutes=1), 0.0, 0, 0, "/basket", 9)]
    assertDataFrameEqual(found, dataframe(spark, expected, VIEW.schema))
