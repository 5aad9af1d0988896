"""How busy someone is: for every request, how many that person made in the minute up to and including it.

A sliding window: it has no grid, it ends at each event anew.

    ──●────●●─────────●──●─►
            └── 60 s ────┘      this request is the third of its minute

Requests are gathered per person in windows of two minutes that begin every minute, and each is judged in the
one window whose second half it is in: there, all of the minute before it is at hand. That needs no operator
of our own, and its state is two minutes of requests. The work grows with the square of what one person does
in two minutes.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, View

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def transform(requests: DataFrame) -> DataFrame:
    """Count, for each request, its person's requests of the last minute."""
    minute = F.expr("INTERVAL 1 MINUTE")
    around = F.window("event_time", "2 minutes", "1 minute").alias("around")
    at = F.struct("event_time", "event_id")
    gathered = requests.groupBy(around, "user_id").agg(F.collect_set(at).alias("gathered"))

    def busy(request: Column) -> Column:
        since, until = request["event_time"] - minute, request["event_time"]
        recent = F.filter(
            "gathered", lambda other: (other["event_time"] > since) & (other["event_time"] <= until)
        )
        return F.struct(
            request["event_time"].alias("requested_at"),
            request["event_id"].alias("request_id"),
            F.size(recent).cast("bigint").alias("requests"),
        )

    judged = F.filter("gathered", lambda request: request["event_time"] >= F.col("around.end") - minute)
    counted = gathered.select("user_id", F.inline(F.transform(judged, busy)))
    return counted.select("requested_at", "request_id", "user_id", "requests")


VIEW = View(
    name="requests_last_minute",
    version=1,
    app="insights",
    owner="site-reliability",
    inputs=("requests",),
    transform=transform,
    schema="requested_at TIMESTAMP, request_id STRING, user_id STRING, requests BIGINT",
    keys=("requested_at", "request_id"),
    time="requested_at",
    window=timedelta(0),
    look_back=timedelta(minutes=1),
    grain="event",
    mode="upsert",
    checks=(
        Check(
            expectation="expect_column_values_to_be_between", arguments={"column": "requests", "min_value": 1}
        ),
    ),
)
