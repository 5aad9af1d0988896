"""Rows of the batch engine: the same, whatever is asked of them afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater.topics import load_topics
from spark_apps import catalog, pipeline
from tests.log_records import at, milliseconds, page_view, record, records

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_session_that_began_before_is_not_cut_by_asking_for_later_ones(spark: SparkSession) -> None:
    """Looks at 12:00, 12:05 and 12:10 are one session, and none of it begins at 12:03 or later."""
    looks = [
        record(
            page_view(
                event_id=f"e{minute}", occurred_at=milliseconds(at(minute)), sent_at=milliseconds(at(minute))
            ),
            offset=minute,
            received=at(minute),
        )
        for minute in (0, 5, 10)
    ]
    made = pipeline.batch_rows(
        catalog.view("user_sessions"), {"page_views": records(spark, looks)}, load_topics()
    )
    assert made.count() == 1
    assert made.where(F.col("started_at") >= F.lit(at(3))).count() == 0
