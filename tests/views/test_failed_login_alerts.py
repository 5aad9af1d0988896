from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.testing import assertDataFrameEqual

from spark_apps.resolving import resolved
from spark_apps.views.failed_login_alerts import VIEW, transform
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from pyspark.sql import DataFrame, SparkSession

LOGINS = "event_time TIMESTAMP, event_id STRING, user_id STRING, succeeded BOOLEAN"


def failures(person: str, *moments: datetime) -> list[tuple[datetime, str, str, bool]]:
    """Return failed logins of a person, the newest first: the order in which they are heard is no matter."""
    numbered = [(moment, f"{person} {number}", person, False) for number, moment in enumerate(moments, 1)]
    return numbered[::-1]


def alerts(spark: SparkSession, *logins: Iterable[tuple[datetime, str, str, bool]]) -> DataFrame:
    rows = [login for person in logins for login in person]
    return resolved(transform(dataframe(spark, rows, LOGINS)), VIEW)


def test_third_failure_within_five_minutes_is_told(spark: SparkSession) -> None:
    """Five minutes to the millisecond are within."""
    found = alerts(
        spark,
        failures("ada", at(), at(minutes=2), at(minutes=5)),
        failures("bob", at(), at(minutes=2), at(minutes=5, seconds=0.001)),
        failures("cyd", at(), at(minutes=2)),
        failures("dan", at(minutes=9), at(minutes=9), at(minutes=9)),
        [(at(minutes=1), f"eva {number}", "eva", True) for number in range(3)],
    )
    expected = [
        (at(minutes=5), "ada 3", "ada", at()),
        (at(minutes=9), "dan 3", "dan", at(minutes=9)),
    ]
    assertDataFrameEqual(found, dataframe(spark, expected, VIEW.schema))


def test_burst_is_told_once_however_many_failures_it_has(spark: SparkSession) -> None:
    """The long one lasts for forty minutes, over the edges of all windows in which failures are gathered."""
    found = alerts(
        spark,
        failures("four", *(at(minutes=8 + m) for m in range(4))),
        failures("six", *(at(minutes=8 + m) for m in range(6))),
        failures("long", *(at(minutes=2.5 * m) for m in range(16))),
        failures("edge", at(), at(minutes=5), at(minutes=5), at(minutes=10)),
    )
    expected = [
        (at(minutes=10), "four 3", "four", at(minutes=8)),
        (at(minutes=10), "six 3", "six", at(minutes=8)),
        (at(minutes=5), "long 3", "long", at()),
        (at(minutes=5), "edge 3", "edge", at()),
    ]
    assertDataFrameEqual(found, dataframe(spark, expected, VIEW.schema))


def test_next_burst_is_told_again(spark: SparkSession) -> None:
    """A failure that is not the third of its five minutes ends a burst, however soon the next begins."""
    found = alerts(
        spark,
        failures("hours", *(at(minutes=m) for m in (0, 1, 2, 120, 121, 122))),
        failures("soon", *(at(minutes=m) for m in (0, 1, 2, 6.5, 6.6))),
    )
    expected = [
        (at(minutes=2), "hours 3", "hours", at()),
        (at(minutes=122), "hours 6", "hours", at(minutes=120)),
        (at(minutes=2), "soon 3", "soon", at()),
        (at(minutes=6.6), "soon 5", "soon", at(minutes=2)),
    ]
    assertDataFrameEqual(found, dataframe(spark, expected, VIEW.schema))


def test_success_in_between_does_not_hide_a_burst(spark: SparkSession) -> None:
    success = (at(minutes=1.5), "right", "ada", True)
    found = alerts(spark, failures("ada", at(), at(minutes=1), at(minutes=2)), [success])
    assertDataFrameEqual(found, dataframe(spark, [(at(minutes=2), "ada 3", "ada", at())], VIEW.schema))


def test_failure_out_of_order_moves_the_beginning_and_the_old_row_is_gone(spark: SparkSession) -> None:
    """All failures are told, those that begin nothing as gone: so the row of an old beginning is removed."""
    heard = failures("ada", at(), at(minutes=2), at(minutes=3))
    early = (at(minutes=1), "ada early", "ada", False)
    beginnings = transform(dataframe(spark, [*heard, early], LOGINS)).select("login_id", "gone")
    expected = [("ada 1", True), ("ada early", True), ("ada 2", False), ("ada 3", True)]
    assertDataFrameEqual(beginnings, dataframe(spark, expected, "login_id STRING, gone BOOLEAN"))
