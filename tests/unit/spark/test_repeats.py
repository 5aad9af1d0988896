"""Repeats: the first offset wins, and what is a repeat does not depend on the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.topics import load_topics
from spark_apps import clocks, repeats
from spark_apps.decode import decode
from tests.log_records import at, milliseconds, page_view, record, records

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TOPIC = load_topics()["page_views"]


def kept(spark: SparkSession, *rows: tuple[object, ...]) -> list[int]:
    events = clocks.correct(decode(records(spark, list(rows)), TOPIC), TOPIC)
    return sorted(row.offset for row in repeats.drop_from_batch(events).select("offset").collect())


def test_same_bytes_some_minutes_later_are_a_repeat(spark: SparkSession) -> None:
    first = record(page_view(), offset=0, received=at())
    again = record(page_view(), offset=1, received=at(minutes=4))
    assert kept(spark, again, first) == [0]


def test_event_sent_again_hours_later_with_a_new_sent_at_is_a_repeat(spark: SparkSession) -> None:
    first = record(page_view(), offset=0, received=at())
    sent = milliseconds(at(minutes=180))
    again = record(page_view(sent_at=sent), offset=1, received=at(minutes=180))
    assert kept(spark, first, again) == [0]


def test_same_bytes_more_than_ten_minutes_later_are_never_a_repeat(spark: SparkSession) -> None:
    """The bound that every engine can keep, however it cuts the log into batches."""
    first = record(page_view(), offset=0, received=at())
    again = record(page_view(), offset=1, received=at(minutes=10.1))
    assert kept(spark, first, again) == [0, 1]


def test_other_event_of_the_same_person_is_kept(spark: SparkSession) -> None:
    assert kept(spark, record(page_view()), record(page_view(event_id="e2"), offset=1)) == [0, 1]
