"""The same late event, three policies: ignored, corrected, kept separate; and a replay does what live did.

received   12:00 ●───────────────● 12:40 ──● 12:41
looked at 12:00 │         └ the late one: looked at 12:00, too
└ time has moved on
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from kafka import KafkaProducer

from spark_apps import catalog
from spark_apps.jobs import late_job
from spark_apps.session import CATALOG
from tests.log_records import milliseconds
from tests.streams import Log, job_of, ledger_of, new_log, rows_of, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View

NOON = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=3)
POLICIES = {"response_times": "ignore", "page_views_per_minute": "correct", "user_sessions": "separate"}
HOUR_OF_NOON = f"from_at = timestamp'{NOON:%Y-%m-%d %H:%M:%S}'"


def tell(log: Log, *, name: str, looked: datetime, received: datetime) -> None:
    """Someone looks at a page, and the request is answered; the device sends both when it can."""
    times = {"occurred_at": milliseconds(looked), "sent_at": milliseconds(received)}
    events = {
        "page_views": {"event_id": name, "user_id": "ada", "page": "/", **times},
        "requests": {
            "event_id": name,
            "user_id": "ada",
            "endpoint": "/",
            "status": 200,
            "duration": 5.0,
            **times,
        },
    }
    kafka = KafkaProducer(**log.settings.kafka_client("simulator"))
    for topic, event in events.items():
        value, timestamp = json.dumps(event).encode(), milliseconds(received)
        kafka.send(log.topics[topic].name, key=b"ada", value=value, timestamp_ms=timestamp)
    kafka.close()


def follow(lake: SparkSession, log: Log, versions: dict[str, View]) -> None:
    separate = versions["user_sessions"]
    kept_apart = late_job(lake, log.settings, separate, log.topic)
    run(lake, *(job_of(lake, log, view) for view in versions.values()), kept_apart)


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    return new_log(instance, "page_views", "requests")


@pytest.fixture(scope="module", params=["live", "replayed"])
def versions(lake: SparkSession, log: Log, request: pytest.FixtureRequest) -> dict[str, View]:
    """Return versions of the three views that followed the log, then versions that read it afterwards."""
    versions = {name: log.view(catalog.view(name)) for name in POLICIES}
    assert {name: view.late for name, view in versions.items()} == POLICIES
    if request.param == "live":
        tell(log, name="on time", looked=NOON, received=NOON)
        tell(log, name="later", looked=NOON + timedelta(minutes=40), received=NOON + timedelta(minutes=40))
        follow(lake, log, versions)
        tell(log, name="late", looked=NOON + timedelta(seconds=5), received=NOON + timedelta(minutes=41))
    follow(lake, log, versions)
    return versions


def late_in_ledger(lake: SparkSession, view: View) -> int:
    counts = [json.loads(commit["headwater.counts"]) for commit in ledger_of(lake, view)]
    return sum(part["late"] for count in counts for topic in count.values() for part in topic.values())


def test_ignored_event_is_left_out_and_counted(lake: SparkSession, versions: dict[str, View]) -> None:
    view = versions["response_times"]
    (row,) = rows_of(lake, view).where(HOUR_OF_NOON).collect()
    assert row["requests"] == 2
    assert late_in_ledger(lake, view) == 1


def test_corrected_row_counts_it_and_has_a_higher_revision(
    lake: SparkSession, versions: dict[str, View]
) -> None:
    rows = rows_of(lake, versions["page_views_per_minute"]).orderBy("minute_at").collect()
    assert [(row["views"], row["revision"]) for row in rows] == [(2, 2), (1, 1)]


def test_separate_event_is_in_a_table_of_its_own(
    lake: SparkSession, log: Log, versions: dict[str, View]
) -> None:
    view = versions["user_sessions"]
    assert [row["pages"] for row in rows_of(lake, view).collect()] == [1]
    kept = lake.table(f"{CATALOG}.{view.late_table(log.topic.name)}").collect()
    assert [row["event_id"] for row in kept] == ["late"]
    assert late_in_ledger(lake, view) == 1
