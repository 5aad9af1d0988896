from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from pyspark.sql import functions as F
from pyspark.testing import assertDataFrameEqual, assertSchemaEqual

from spark_apps.views.response_times import FASTEST, RELATIVE_ERROR, SLOWEST, VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import Row, SparkSession

REQUESTS = "event_time TIMESTAMP, endpoint STRING, duration DOUBLE"
PERCENTILES = ("p50", "p95", "p99")
COUNTED = "from_at TIMESTAMP, until_at TIMESTAMP, endpoint STRING, requests BIGINT, average DOUBLE"


def summary(spark: SparkSession, durations: Iterable[float]) -> Row:
    """Return the row of the hour from noon, for requests at noon that took so long."""
    requests = dataframe(spark, [(at(), "/cart", float(value)) for value in durations], REQUESTS)
    rows = transform(requests).where(F.col("from_at") == at())
    assertSchemaEqual(rows.schema, dataframe(spark, [], VIEW.schema).schema)
    (row,) = rows.collect()
    return row


def test_request_counts_in_each_of_the_twelve_hours_around_it(spark: SparkSession) -> None:
    requests = dataframe(spark, [(at(minutes=3), "/cart", 20.0)], REQUESTS)
    expected = [(at(minutes=m), at(minutes=m + 60), "/cart", 1, 20.0) for m in range(-55, 1, 5)]
    assertDataFrameEqual(transform(requests).drop(*PERCENTILES), dataframe(spark, expected, COUNTED))


def test_hour_holds_its_first_moment_but_not_its_last_and_endpoints_stay_apart(spark: SparkSession) -> None:
    requests = dataframe(
        spark,
        [
            (at(minutes=60), "/cart", 70.0),
            (at(minutes=59, seconds=59.999), "/cart", 40.0),
            (at(), "/cart", 30.0),
            (at(), "/home", 5.0),
        ],
        REQUESTS,
    )
    from_noon = transform(requests).where(F.col("from_at") == at())
    expected = [(at(), at(minutes=60), "/cart", 2, 35.0), (at(), at(minutes=60), "/home", 1, 5.0)]
    assertDataFrameEqual(from_noon.drop(*PERCENTILES), dataframe(spark, expected, COUNTED))


def test_percentiles_are_within_the_stated_error_in_whatever_order_requests_come(spark: SparkSession) -> None:
    durations = np.random.default_rng(5).lognormal(mean=4, sigma=1.5, size=1000)
    there, back = summary(spark, durations), summary(spark, durations[::-1])
    assert there == back
    assert [there[name] for name in PERCENTILES] == pytest.approx(
        np.percentile(durations, [50, 95, 99]), rel=RELATIVE_ERROR
    )
    assert there.average == pytest.approx(durations.mean(), abs=0.001)


def test_durations_beyond_what_can_be_told_count_as_the_bounds(spark: SparkSession) -> None:
    """JSON knows numbers of any size, and one request that says nonsense must not stop the view."""
    fast, slow = summary(spark, [-1e300, 0.0]), summary(spark, [1e300, 1e300])
    assert [fast.p50, fast.average] == pytest.approx([FASTEST, FASTEST], rel=0.02)
    assert [slow.p50, slow.average] == pytest.approx([SLOWEST, SLOWEST], rel=RELATIVE_ERROR)
