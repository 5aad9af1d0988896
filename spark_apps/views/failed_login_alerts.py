"""Three failed logins of one person within five minutes.

    ✗────✗──✗──✗───────✗          ✗─✗─✗
            │  └ same burst          └ another one: another alert
            └ the third within five minutes: alert

A burst lasts as long as each further failure is again at least the third within five minutes, and is told
once, at its first such failure. A success in between does not hide it: whoever guesses may guess right.

To see whether a failure begins a burst it takes the ten minutes before it. So failures are gathered per
person in windows of twenty minutes that begin every ten, and each is judged in the one window whose second
half it is in. A failure that arrives out of order may move the beginning of a burst ahead; the row that told
the old one is then gone, and nobody is alerted again.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, Publication, View

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

FAILURES = 3


def transform(logins: DataFrame) -> DataFrame:
    """Find the first failure of each burst."""
    around = F.window("event_time", "20 minutes", "10 minutes").alias("around")
    failure = F.struct(F.col("event_time").alias("failed_at"), F.col("event_id").alias("login_id"))
    failed = logins.where("NOT succeeded")
    gathered = failed.groupBy(around, "user_id").agg(F.array_sort(F.collect_set(failure)).alias("failures"))

    def with_those_before(login: Column, place: Column) -> Column:
        return F.struct(
            login["failed_at"].alias("failed_at"),
            login["login_id"].alias("login_id"),
            _nth_before(place, FAILURES - 1).alias("first_failed_at"),
            (_third_within_five_minutes(place) & ~_third_within_five_minutes(place - 1)).alias("begins"),
        )

    judged = F.transform("failures", with_those_before)
    told = gathered.select("user_id", "around", F.inline(judged))
    own = told.where(F.col("failed_at") >= F.col("around.end") - F.expr("INTERVAL 10 MINUTES"))
    return own.select("failed_at", "login_id", "user_id", "first_failed_at", (~F.col("begins")).alias("gone"))


def _third_within_five_minutes(place: Column) -> Column:
    since = F.get("failures", place)["failed_at"] - F.expr("INTERVAL 5 MINUTES")
    return F.coalesce(_nth_before(place, FAILURES - 1) >= since, F.lit(False))


def _nth_before(place: Column, number: int) -> Column:
    return F.when(place >= number, F.get("failures", place - number)["failed_at"])


VIEW = View(
    name="failed_login_alerts",
    version=1,
    app="insights",
    owner="identity",
    inputs=("logins",),
    transform=transform,
    schema="failed_at TIMESTAMP, login_id STRING, user_id STRING, first_failed_at TIMESTAMP",
    keys=("failed_at", "login_id"),
    time="failed_at",
    window=timedelta(0),
    look_back=timedelta(minutes=10),
    grain="event",
    mode="upsert",
    publishes=Publication(
        topic="alerts",
        fields={
            "subject": "user_id",
            "kind": "'failed logins'",
            "state": "'raised'",
            "message": (
                "format_string('Three failed logins within %d seconds.', "
                "timestampdiff(SECOND, first_failed_at, failed_at))"
            ),
        },
    ),
    beginnings_of=("user_id",),
    trigger=timedelta(seconds=20),
    freshness=timedelta(minutes=1),
    checks=(
        Check(
            expectation="expect_column_pair_values_a_to_be_greater_than_b",
            arguments={"column_A": "failed_at", "column_B": "first_failed_at", "or_equal": True},
        ),
    ),
)
