from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.resolving import resolved
from spark_apps.views.fraud_alerts import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PURCHASES = (
    "event_time TIMESTAMP, event_id STRING, user_id STRING, order_id STRING, amount DOUBLE, country STRING"
)
LOGINS = "event_time TIMESTAMP, event_id STRING, user_id STRING, country STRING, succeeded BOOLEAN"


def test_purchase_from_another_country_up_to_five_minutes_after_a_login_is_told(spark: SparkSession) -> None:
    """Five minutes to the millisecond are within; so is the same moment."""
    people = ("exactly", "at once", "too late", "before", "at home", "failed")
    purchases = [(at(), f"p of {who}", who, f"o of {who}", 9.5, "US") for who in people]
    logins = [
        (at(minutes=-5), "l1", "exactly", "FR", True),
        (at(), "l2", "at once", "FR", True),
        (at(minutes=-5, seconds=-0.001), "l3", "too late", "FR", True),
        (at(seconds=0.001), "l4", "before", "FR", True),
        (at(minutes=-1), "l5", "at home", "US", True),
        (at(minutes=-1), "l6", "failed", "FR", False),
        (at(minutes=-1), "l7", "somebody else", "FR", True),
    ]
    rows = transform(dataframe(spark, purchases, PURCHASES), dataframe(spark, logins, LOGINS))
    expected = [
        (at(), "p of exactly", "exactly", "o of exactly", 9.5, "US", at(minutes=-5), "l1", "FR"),
        (at(), "p of at once", "at once", "o of at once", 9.5, "US", at(), "l2", "FR"),
    ]
    assertDataFrameEqual(resolved(rows, VIEW), dataframe(spark, expected, VIEW.schema))


def test_each_purchase_is_told_once_with_the_latest_login_that_does_not_fit(spark: SparkSession) -> None:
    """A login in between that fits explains nothing away; of two at the same moment the lesser id is told."""
    purchases = [
        (at(minutes=4), "p1", "ada", "o1", 1.0, "US"),
        (at(minutes=2), "p2", "ada", "o2", 2.0, "US"),
    ]
    logins = [
        (at(minutes=3), "l4", "ada", "US", True),
        (at(minutes=1), "l3", "ada", "DE", True),
        (at(minutes=1), "l2", "ada", "IT", True),
        (at(), "l1", "ada", "FR", True),
    ]
    rows = transform(dataframe(spark, purchases, PURCHASES), dataframe(spark, logins, LOGINS))
    expected = [
        (at(minutes=4), "p1", "ada", "o1", 1.0, "US", at(minutes=1), "l2", "IT"),
        (at(minutes=2), "p2", "ada", "o2", 2.0, "US", at(minutes=1), "l2", "IT"),
    ]
    assertDataFrameEqual(resolved(rows, VIEW), dataframe(spark, expected, VIEW.schema))
