"""Purchases from another country within five minutes after a login of the same person.

A pattern of two events: nobody travels that fast, so one of the two was somebody else.

    login in FR ──── 3 minutes ────► purchase from US      alert, with both events

A purchase is told once, with the latest login before it that does not fit. Should a later one turn up out of
order, the row is corrected; the alert keeps its id, so nobody hears of it twice.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps.view import Check, Publication, View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(purchases: DataFrame, logins: DataFrame) -> DataFrame:
    """Pair each purchase with the logins before it that it does not fit."""
    bought = purchases.select(
        F.col("event_time").alias("purchased_at"),
        F.col("event_id").alias("purchase_id"),
        "user_id",
        "order_id",
        "amount",
        F.col("country").alias("purchase_country"),
    )
    logged_in = logins.where("succeeded").select(
        F.col("user_id").alias("who"),
        F.col("event_time").alias("logged_in_at"),
        F.col("event_id").alias("login_id"),
        F.col("country").alias("login_country"),
    )
    same_person = F.col("user_id") == F.col("who")
    shortly_before = F.col("logged_in_at").between(
        F.col("purchased_at") - F.expr("INTERVAL 5 MINUTES"), F.col("purchased_at")
    )
    elsewhere = F.col("purchase_country") != F.col("login_country")
    return bought.join(logged_in, on=same_person & shortly_before & elsewhere, how="inner").drop("who")


VIEW = View(
    name="fraud_alerts",
    version=1,
    app="insights",
    owner="payments",
    inputs=("purchases", "logins"),
    transform=transform,
    schema=(
        "purchased_at TIMESTAMP, purchase_id STRING, user_id STRING, order_id STRING, amount DOUBLE, "
        "purchase_country STRING, logged_in_at TIMESTAMP, login_id STRING, login_country STRING"
    ),
    keys=("purchased_at", "purchase_id"),
    time="purchased_at",
    window=timedelta(0),
    look_back=timedelta(minutes=5),
    grain="event",
    mode="upsert",
    prefers=("logged_in_at DESC", "login_id"),
    publishes=Publication(
        topic="alerts",
        fields={
            "subject": "user_id",
            "kind": "'fraud'",
            "state": "'raised'",
            "message": (
                "format_string('Order %s of %.2f was placed from %s, %d seconds after a login in %s.', "
                "order_id, amount, purchase_country, "
                "timestampdiff(SECOND, logged_in_at, purchased_at), login_country)"
            ),
        },
    ),
    trigger=timedelta(seconds=20),
    freshness=timedelta(minutes=1),
    checks=(
        Check(
            expectation="expect_column_pair_values_a_to_be_greater_than_b",
            arguments={"column_A": "purchased_at", "column_B": "logged_in_at", "or_equal": True},
        ),
    ),
)
