"""Alarms in a real registry and on a real topic: each is told, under a number of its own."""

from __future__ import annotations

import threading
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from headwater import alarms
from headwater.registry import connect
from tests.alerts import alerts_about

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings

KIND = "lag"


@pytest.fixture
def subject(instance: Settings) -> Iterator[str]:
    name = f"app_{uuid.uuid4().hex[:8]}"
    yield name
    with connect(instance) as registry:
        registry.execute("DELETE FROM alarms WHERE starts_with(subject, %s)", [name])


@pytest.fixture
def without_kafka(instance: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Return settings by which no broker is found."""
    monkeypatch.setattr(alarms, "SEND_SECONDS", 1)
    return replace(instance, kafka_bootstrap_servers="127.0.0.1:1")


def told(settings: Settings, *subjects: str) -> list[tuple[Any, ...]]:
    return [(alert["event_id"], alert["state"]) for alert in alerts_about(settings, *subjects)]


def number_of(settings: Settings, subject: str) -> int:
    with connect(settings) as registry:
        row = registry.execute("SELECT id FROM alarms WHERE subject = %s", [subject]).fetchone()
    assert row is not None
    return int(row["id"])


def test_alarm_is_told_when_it_is_raised_and_when_it_is_over(instance: Settings, subject: str) -> None:
    assert alarms.raise_alarm(instance, subject, KIND, "behind")
    assert not alarms.raise_alarm(instance, subject, KIND, "further behind")
    assert alarms.clear(instance, subject, KIND)
    assert not alarms.clear(instance, subject, KIND)
    number = number_of(instance, subject)
    assert told(instance, subject) == [
        (f"alarm-{number}-raised", "raised"),
        (f"alarm-{number}-cleared", "cleared"),
    ]


def test_what_kafka_did_not_take_is_told_later_and_in_order(
    instance: Settings, without_kafka: Settings, subject: str
) -> None:
    assert alarms.raise_alarm(without_kafka, subject, KIND, "behind")
    with connect(instance) as registry:
        (alarm,) = [alarm for alarm in alarms.open_alarms(registry) if alarm["subject"] == subject]
    assert alarms.clear(without_kafka, subject, KIND)
    assert told(instance, subject) == []

    alarms.tell(instance)
    alarms.tell(instance)
    raised, cleared = alerts_about(instance, subject)
    assert (raised["event_id"], raised["message"]) == (f"alarm-{alarm['id']}-raised", "behind")
    assert cleared["event_id"] == f"alarm-{alarm['id']}-cleared"
    assert raised["occurred_at"] == int(alarm["raised_at"].timestamp() * 1000)
    assert raised["occurred_at"] < cleared["occurred_at"] <= raised["sent_at"]


def test_alarms_that_are_raised_at_the_same_time_have_numbers_of_their_own(
    instance: Settings, subject: str
) -> None:
    subjects = [f"{subject}_{number}" for number in range(6)]
    together = threading.Barrier(len(subjects))

    def alarm(about: str) -> None:
        together.wait()
        alarms.raise_alarm(instance, about, KIND, "behind")

    threads = [threading.Thread(target=alarm, args=[about]) for about in subjects]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told(instance, *subjects)) == sorted(
        (f"alarm-{number_of(instance, about)}-raised", "raised") for about in subjects
    )
