"""Response times per endpoint over the last hour, told every five minutes: average, p50, p95 and p99.

A hopping window: an hour long, and a new one begins every five minutes, so each request counts in twelve.

    12:00   12:05   12:10        13:00   13:05   13:10
      |───────────── an hour ──────|
              |───────────── an hour ──────|
                      |───────────── an hour ──────|

Percentiles cannot be added up, but counts can. So durations are counted in buckets, each 2 % wider than the
one before, and the percentile of the buckets is that of the requests with an error of at most 1 %, however
many they were and however they were cut into batches. An hour of an endpoint takes a few hundred counts: from
a tenth of a millisecond to an hour there are no more than 878 buckets.
"""

from __future__ import annotations

import math
from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, View

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

RELATIVE_ERROR = 0.01
WIDTH = math.log((1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR))
FASTEST, SLOWEST = 0.1, 3_600_000.0  # milliseconds; what is beyond counts as that


def transform(requests: DataFrame) -> DataFrame:
    """Summarise durations per hour and endpoint."""
    hour = F.window("event_time", "1 hour", "5 minutes").alias("hour")
    summed = requests.groupBy(hour, "endpoint").agg(
        F.count(F.lit(1)).alias("requests"),
        # In whole microseconds: sums of fractions depend on the order of addition, these do not.
        F.sum(F.round(_within_bounds("duration") * 1000).cast("bigint")).alias("total"),
        F.percentile(bucketed("duration"), [0.5, 0.95, 0.99]).alias("percentiles"),
    )
    return summed.select(
        F.col("hour.start").alias("from_at"),
        F.col("hour.end").alias("until_at"),
        "endpoint",
        "requests",
        F.round(F.col("total") / F.col("requests") / 1000, 3).alias("average"),
        *(
            F.round(F.col("percentiles")[place], 3).alias(f"p{percent}")
            for place, percent in enumerate((50, 95, 99))
        ),
    )


def bucketed(duration: str) -> Column:
    """Return the middle of a duration's bucket: at most the relative error away from the duration."""
    bucket = F.ceil(F.log(_within_bounds(duration)) / WIDTH)
    return F.exp(bucket * WIDTH) * (1 - RELATIVE_ERROR)


def _within_bounds(duration: str) -> Column:
    # A number in JSON may be larger than any whole number that can be added up here.
    return F.greatest(F.least(F.col(duration), F.lit(SLOWEST)), F.lit(FASTEST))


VIEW = View(
    name="response_times",
    version=1,
    app="insights",
    owner="site-reliability",
    inputs=("requests",),
    transform=transform,
    schema=(
        "from_at TIMESTAMP, until_at TIMESTAMP, endpoint STRING, requests BIGINT, "
        "average DOUBLE, p50 DOUBLE, p95 DOUBLE, p99 DOUBLE"
    ),
    keys=("from_at", "endpoint"),
    time="from_at",
    window=timedelta(hours=1),
    hop=timedelta(minutes=5),
    mode="upsert",
    checks=(
        Check(
            expectation="expect_column_pair_values_a_to_be_greater_than_b",
            arguments={"column_A": "p99", "column_B": "p50", "or_equal": True},
        ),
    ),
)
