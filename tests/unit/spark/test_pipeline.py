"""From records to rows, as a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater.topics import load_topics
from spark_apps import catalog, pipeline
from spark_apps.ledger import Counts
from tests.log_records import at, milliseconds, page_view, record, records

if TYPE_CHECKING:
    from datetime import datetime

    from pyspark.sql import SparkSession

PAGE_VIEWS = load_topics()["page_views"]
SESSIONS = catalog.view("user_sessions")


def looked(number: int, occurred: datetime, received: datetime | None = None) -> tuple[object, ...]:
    """Return a page view that was sent when it was received."""
    times = {"occurred_at": milliseconds(occurred), "sent_at": milliseconds(received or occurred)}
    event = page_view(event_id=f"e{number}", **times)
    return record(event, offset=number, received=received or occurred)


def test_session_that_straddles_a_bound_is_not_cut_by_it(spark: SparkSession) -> None:
    visit = [looked(number, at(minutes=minutes)) for number, minutes in enumerate((0, 5, 12))]
    rows = pipeline.batch_rows(SESSIONS, {"page_views": records(spark, visit)}, {"page_views": PAGE_VIEWS})
    before = rows.where(F.col("started_at") < F.lit(at(minutes=3)))
    assert [row.pages for row in before.collect()] == [3]


def test_every_record_of_a_batch_is_counted_once(spark: SparkSession) -> None:
    log = [
        looked(0, at()),
        looked(0, at()),  # again
        looked(1, at(), received=at(minutes=11)),  # late
        record(b"nonsense", offset=2),
        looked(3, at(minutes=1)),
    ]
    found = pipeline.batch_counts(records(spark, log), PAGE_VIEWS, SESSIONS, [0, 1])
    assert found == {
        0: Counts(arrived=5, quarantined=1, late=1, repeated=1, used=2),
        1: Counts(arrived=0, quarantined=0, late=0, repeated=0, used=0),
    }
