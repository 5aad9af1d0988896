"""A backfill through Airflow, beside the live query: planned, proved, approved, put in place at once."""

from __future__ import annotations

import json
import uuid
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from kafka import KafkaProducer

from headwater import lake, replay
from headwater.errors import Refusal
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


@pytest.mark.timeout(1200)
def test_backfill_is_approved_and_put_in_place_beside_the_live_query(
    busy_shop: Settings, airflow: Airflow
) -> None:
    people_come_online(busy_shop)
    wait_for("their page views", lambda: looks(busy_shop) == LOOKS)
    run = trigger(
        airflow,
        "replay",
        view=VIEW,
        kind="backfill",
        start=FIRST.isoformat(),
        until=AFTER.isoformat(),
        dry_run=False,
    )
    wait_for_task(airflow, "replay", run, "approve", ASKED)
    assert f"## Backfill of `{VIEW}`" in task_of(airflow, "replay", run, "plan")["note"]
    assert "### The proof holds" in run_of(airflow, "replay", run)["note"]
    assert backfilled(busy_shop) == []

    wait_for("the approval", lambda: is_approved(airflow, run))
    wait_for_run(airflow, "replay", run, "success")
    assert "are in place, in one commit" in run_of(airflow, "replay", run)["note"]
    (commit,) = backfilled(busy_shop)
    assert (commit.replay, commit.rows > 0) == (run, True)
    assert looks(busy_shop) == LOOKS
    ended = replayed(busy_shop, run)
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


def replayed(settings: Settings, run: str) -> dict[str, Any]:
    (found,) = [one for one in replay.status(settings, VIEW) if one["key"] == run]
    return found


def looks(settings: Settings) -> int:
    """Count the looks at the page that nobody else looks at."""
    rows: list[dict[str, Any]] = (
        lake.view_table(settings, VIEW).scan(f"page = '{PAGE}'").to_arrow().to_pylist()
    )
    return sum(row["views"] for row in rows)


def backfilled(settings: Settings) -> list[Outcome]:
    """Return what backfills have told with their commits."""
    summaries = [commit.summary for commit in lake.view_table(settings, VIEW).snapshots()]
    told = [summary.additional_properties.get("headwater.backfill") for summary in summaries if summary]
    return [Outcome.model_validate_json(one) for one in told if one]


def is_approved(airflow: Airflow, run: str) -> bool:
    """Answer as a person does under *Required actions*, as often as it is asked.

    Airflow takes an answer within a moment of the question for a task that has failed, and asks again.
    """
    state = task_of(airflow, "replay", run, "approve")["state"]
    if state == ASKED:
        place = f"dags/replay/dagRuns/{quote(run)}/taskInstances/approve/-1/hitlDetails"
        with suppress(Refusal):  # it has just been answered
            airflow.call("PATCH", place, {"chosen_options": ["Approve"]})
    return bool(state == "success")
