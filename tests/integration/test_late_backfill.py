"""A backfill that admits late events: the difference is those events, and nothing else.

    ada   12:00 ●   12:05 ●   12:14 ○   12:22 ○   12:30 ●        ● on time    ○ received at 13:00
    ben        12:02 ✕       12:10 ●                            ✕ received at 16:00: too late even so

Without the late ones ada has two sessions; with them, one. Where only one of the two is replaced, a page view
would be lost or counted twice.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from kafka import KafkaProducer

from expectations import proving
from expectations.comparing import compare
from expectations.conserving import conserve
from expectations.snapshots import lineage
from headwater.errors import Refusal
from headwater.replay.between import Between
from spark_apps import catalog
from spark_apps.backfill import Asked, backfill, recompute
from tests.log_records import milliseconds
from tests.streams import job_of, new_log, rows_of, run
from tests.versions import version_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View
    from tests.streams import Log

NOON = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=30)
TWO_HOURS = timedelta(hours=2)


def at(minutes: int) -> datetime:
    return NOON + timedelta(minutes=minutes)


AROUND = Between(first=at(-10), after=at(60))
ON_TIME = [("ada", 0), ("ada", 5), ("ben", 10), ("ada", 30), ("cleo", 60)]
LATE = [("ada", 14, 60), ("ada", 22, 60), ("ben", 2, 240), ("cleo", 240, 240), ("cleo", 300, 300)]


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    log = new_log(instance)
    kafka = KafkaProducer(**instance.kafka_client("simulator"))
    looks = [*((person, looked, looked) for person, looked in ON_TIME), *LATE]
    for number, (person, looked, received) in enumerate(looks):
        event = {
            "event_id": f"look-{number}",
            "user_id": person,
            "page": "/",
            "occurred_at": milliseconds(at(looked)),
            "sent_at": milliseconds(at(received)),
        }
        kafka.send(
            log.topic.name,
            key=person.encode(),
            value=json.dumps(event).encode(),
            timestamp_ms=milliseconds(at(received)),
        )
    kafka.close()
    return log


@pytest.fixture(scope="module")
def view(lake: SparkSession, log: Log) -> View:
    view = log.view(catalog.view("user_sessions"))
    run(lake, job_of(lake, log, view))
    return view


def sessions(lake: SparkSession, view: View) -> list[tuple[str, int, int]]:
    """Return who, when after noon, in minutes, and how many pages."""
    rows = rows_of(lake, view).selectExpr("user_id", "unix_seconds(started_at) AS began", "pages").collect()
    noon = NOON.timestamp()
    return sorted((row.user_id, round((row.began - noon) / 60), row.pages) for row in rows)


ORDINARY = [("ada", 0, 2), ("ada", 30, 1), ("ben", 10, 1), ("cleo", 60, 1), ("cleo", 240, 1)]
ADMITTED = [("ada", 0, 5), ("ben", 10, 1), ("cleo", 60, 1), ("cleo", 240, 1)]


def test_difference_is_exactly_the_late_events(lake: SparkSession, log: Log, view: View) -> None:
    assert sessions(lake, view) == ORDINARY
    asked = Asked(between=AROUND, lateness=TWO_HOURS)
    found = recompute(lake, log.settings, view, log.by_name(), asked)
    assert (found.late_events, found.otherwise, found.faults) == (2, 0, ())
    found.rows.unpersist()
    outcome = backfill(lake, log.settings, view, log.by_name(), asked)
    assert (outcome.equal, outcome.different, outcome.only_live, outcome.only_candidate) == (1, 1, 1, 0)
    assert outcome.lateness == TWO_HOURS
    assert sessions(lake, view) == ADMITTED
    assert backfill(lake, log.settings, view, log.by_name(), asked).changed == 0
    assert sessions(lake, view) == ADMITTED


@pytest.mark.parametrize("edges", [(20, 60), (-10, 35)], ids=["first session", "last session"])
def test_windows_that_late_events_join_across_an_edge_are_refused(
    lake: SparkSession, log: Log, view: View, edges: tuple[int, int]
) -> None:
    between = Between(first=at(edges[0]), after=at(edges[1]))
    before = sessions(lake, view)
    with pytest.raises(Refusal) as refused:
        backfill(lake, log.settings, view, log.by_name(), Asked(between=between, lateness=TWO_HOURS))
    assert "Late events join windows across an edge of the stretch" in refused.value.detail
    assert sessions(lake, view) == before


def test_view_that_was_backfilled_is_compared_with_a_candidate_where_both_go_by_the_same_rule(
    lake: SparkSession, log: Log, view: View
) -> None:
    """Its commits are known ones, and the rows with late events in them are told apart."""
    backfill(lake, log.settings, view, log.by_name(), Asked(between=AROUND, lateness=TWO_HOURS))
    candidate = replace(view, version=2)
    run(lake, job_of(lake, log, candidate))
    topics, versions = log.by_name(), (version_of(view), version_of(candidate))
    ledger = conserve(
        lineage(lake, view.table), proving.began_at(lake, log.settings, versions[0]), None, topics
    )
    assert ledger.faults == ()
    plain = compare(lake, log.settings, topics, *versions, patience=0)
    assert (plain.different, plain.only_live, plain.only_candidate) == (1, 0, 1)
    starts = AROUND.starts_of(view.window)
    known = compare(lake, log.settings, topics, version_of(view, admitted=(starts,)), versions[1], patience=0)
    assert (known.compared - known.equal, known.admitted) == (0, 2)
    assert known.equal > 0


def test_backfill_by_the_views_own_rule_takes_the_late_events_out_again(
    lake: SparkSession, log: Log, view: View
) -> None:
    backfill(lake, log.settings, view, log.by_name(), Asked(between=AROUND, lateness=TWO_HOURS))
    outcome = backfill(lake, log.settings, view, log.by_name(), Asked(between=AROUND))
    assert (outcome.changed, outcome.lateness) == (2, None)
    assert sessions(lake, view) == ORDINARY
