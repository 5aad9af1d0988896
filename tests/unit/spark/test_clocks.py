"""Three times per event: a wrong device clock is corrected, and late is decided from the record alone.

device clock:   occurred ─── held back ─── sent
server clock:                                └── on its way ── received
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from headwater.topics import load_topics
from spark_apps import clocks
from spark_apps.decode import decode
from tests.log_records import NOON, at, milliseconds, page_view, record, records

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

TOPIC = load_topics()["page_views"]


def corrected(spark: SparkSession, *, occurred: datetime, sent: datetime, received: datetime = NOON) -> Row:
    event = page_view(occurred_at=milliseconds(occurred), sent_at=milliseconds(sent))
    decoded = decode(records(spark, [record(event, received=received)]), TOPIC)
    events = clocks.correct(decoded, TOPIC).withColumn("late", clocks.late(timedelta(minutes=10)))
    row: Any = events.first()
    return row


def test_clock_that_is_an_hour_fast_is_corrected(spark: SparkSession) -> None:
    event = corrected(spark, occurred=at(minutes=58), sent=at(minutes=60))
    assert event.event_time == at(minutes=-2).replace(tzinfo=None)


def test_clock_that_is_an_hour_slow_is_corrected(spark: SparkSession) -> None:
    event = corrected(spark, occurred=at(minutes=-62), sent=at(minutes=-60))
    assert event.event_time == at(minutes=-2).replace(tzinfo=None)


def test_event_never_happens_after_it_was_received(spark: SparkSession) -> None:
    event = corrected(spark, occurred=at(seconds=30), sent=at())
    assert event.event_time == NOON.replace(tzinfo=None)


def test_held_back_for_ten_minutes_is_in_time_and_a_millisecond_more_is_late(spark: SparkSession) -> None:
    assert not corrected(spark, occurred=at(minutes=-10), sent=at()).late
    assert corrected(spark, occurred=at(minutes=-10) - timedelta(milliseconds=1), sent=at()).late


def test_wrong_clock_alone_does_not_make_an_event_late(spark: SparkSession) -> None:
    assert not corrected(spark, occurred=at(minutes=-61), sent=at(minutes=-60)).late
