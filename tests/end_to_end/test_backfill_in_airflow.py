"""Backfills through Airflow, beside the live query: planned and proved; rejected, or put in place."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from kafka import KafkaProducer

from headwater import lake, replay
from headwater.replay.backfill_proof import Outcome
from headwater.topics import load_topics
from tests.end_to_end.looking import run_of, task_of, trigger, wait_for_run, wait_for_task
from tests.fixed_code import VIEW
from tests.log_records import milliseconds
from tests.waiting import wait_for

if TYPE_CHECKING:
    from headwater.airflow_api import Airflow
    from headwater.settings import Settings

# The platform is too young to have closed windows; people whose devices were offline tell of earlier ones.
PAGE, LOOKS = "/offline", 60
FIRST = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(hours=3)
AFTER = FIRST + timedelta(hours=1)
ASKED = "awaiting_input"


@pytest.fixture(scope="module")
def offline(busy_shop: Settings) -> Settings:
    people_come_online(busy_shop)
    wait_for("their page views", lambda: looks(busy_shop) == LOOKS)
    return busy_shop


@pytest.mark.timeout(1200)
def test_backfill_that_is_rejected_changes_nothing_and_its_proof_stays(
    offline: Settings, airflow: Airflow
) -> None:
    before = rows(offline)
    run = proposed(airflow)
    answer(airflow, run, "Reject")
    wait_for_run(airflow, "replay", run, "failed")
    assert "admin rejected it" in run_of(airflow, "replay", run)["note"]
    assert task_of(airflow, "replay", run, "clean_up")["state"] == "success"
    assert (rows(offline), backfilled(offline)) == (before, [])
    ended, proof = replayed(offline, run), replay.proof_of(offline, run)
    assert (ended["state"], ended["because"]) == ("rejected", "admin rejected it")
    assert proof is not None
    assert proof.holds


@pytest.mark.timeout(1200)
def test_backfill_is_approved_and_put_in_place_beside_the_live_query(
    offline: Settings, airflow: Airflow
) -> None:
    run = proposed(airflow)
    assert f"## Backfill of `{VIEW}`" in task_of(airflow, "replay", run, "plan")["note"]
    assert "### The proof holds" in run_of(airflow, "replay", run)["note"]
    assert backfilled(offline) == []

    answer(airflow, run, "Approve")
    wait_for_run(airflow, "replay", run, "success")
    assert "are in place, in one commit" in run_of(airflow, "replay", run)["note"]
    (commit,) = backfilled(offline)
    assert (commit.replay, commit.rows > 0) == (run, True)
    assert looks(offline) == LOOKS
    ended = replayed(offline, run)
    assert (ended["kind"], ended["state"], ended["because"]) == ("backfill", "promoted", "by admin")


def people_come_online(settings: Settings) -> None:
    kafka = KafkaProducer(**settings.kafka_client("simulator"))
    now = milliseconds(datetime.now(UTC))
    for number in range(LOOKS):
        looked = FIRST + timedelta(minutes=number % 60)
        event = {
            "event_id": uuid.uuid4().hex,
            "user_id": f"user-{number:04}",
            "page": PAGE,
            "occurred_at": milliseconds(looked),
            "sent_at": now,
        }
        kafka.send(load_topics()["page_views"].name, key=b"offline", value=json.dumps(event).encode())
    kafka.close()


def proposed(airflow: Airflow) -> str:
    """Ask for a backfill, and wait until a person is asked; return its run."""
    stretch = {"start": FIRST.isoformat(), "until": AFTER.isoformat()}
    run = trigger(airflow, "replay", view=VIEW, kind="backfill", dry_run=False, **stretch)
    wait_for_task(airflow, "replay", run, "approve", ASKED)
    return run


def replayed(settings: Settings, run: str) -> dict[str, Any]:
    (found,) = [one for one in replay.status(settings, VIEW) if one["key"] == run]
    return found


def rows(settings: Settings) -> list[dict[str, Any]]:
    """Return the rows of the page that nobody else looks at."""
    found = lake.view_table(settings, VIEW).scan(f"page = '{PAGE}'").to_arrow()
    return list(found.sort_by("minute_at").to_pylist())


def looks(settings: Settings) -> int:
    return sum(row["views"] for row in rows(settings))


def backfilled(settings: Settings) -> list[Outcome]:
    """Return what backfills have told with their commits."""
    summaries = [commit.summary for commit in lake.view_table(settings, VIEW).snapshots()]
    told = [summary.additional_properties.get("headwater.backfill") for summary in summaries if summary]
    return [Outcome.model_validate_json(one) for one in told if one]


def answer(airflow: Airflow, run: str, chosen: str) -> None:
    """Answer as a person does under *Required actions*: once, and within a moment of the question."""
    place = f"dags/replay/dagRuns/{quote(run)}/taskInstances/approve/-1/hitlDetails"
    airflow.call("PATCH", place, {"chosen_options": [chosen]})
