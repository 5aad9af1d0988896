"""Alarms: what a person should know, as rows in the registry and as records on the topic `alerts`.

An alarm is open until what it tells is over; raising it again while it is open tells nobody twice. The record
on the log is written before the row: after a crash between the two it is written again, with the same id.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from kafka import KafkaProducer
from kafka.errors import KafkaError

from headwater.registry import connect

if TYPE_CHECKING:
    from collections.abc import Collection

    from headwater.registry import Connection
    from headwater.settings import Settings

TOPIC = "alerts"
ROLE = "control"
RUNBOOKS = "docs/runbooks"
SEND_SECONDS = 10


def raise_alarm(settings: Settings, subject: str, kind: str, message: str, runbook: str = "") -> bool:
    """Raise an alarm about a subject (an app, a view, a part); return whether it is new."""
    runbook = runbook or runbook_of(kind)
    with connect(settings) as registry:
        if any((alarm["subject"], alarm["kind"]) == (subject, kind) for alarm in open_alarms(registry)):
            return False
        number = _next_number(registry)
        _send(settings, number, subject, kind, "raised", message, runbook)
        registry.execute(
            """
            INSERT INTO alarms (subject, kind, message, runbook) VALUES (%s, %s, %s, %s)
            ON CONFLICT (subject, kind) WHERE cleared_at IS NULL DO NOTHING
            """,
            [subject, kind, message, runbook],
        )
    return True


def runbook_of(kind: str) -> str:
    """Return the page that says what to do about an alarm, where whoever raises it names no other."""
    return f"{RUNBOOKS}/{kind.replace(' ', '-')}.md"


def clear(settings: Settings, subject: str, kind: str) -> bool:
    """Say that what an alarm told is over; return whether one was open."""
    with connect(settings) as registry:
        for alarm in open_alarms(registry):
            if (alarm["subject"], alarm["kind"]) == (subject, kind):
                _send(settings, alarm["id"], subject, kind, "cleared", "It is over.", alarm["runbook"])
                registry.execute("UPDATE alarms SET cleared_at = now() WHERE id = %s", [alarm["id"]])
                return True
    return False


def clear_all_but(settings: Settings, subject: str, kinds: Collection[str], raised: Collection[str]) -> None:
    """Clear the open alarms about a subject, of these kinds, that a look did not raise again."""
    with connect(settings) as registry:
        over = [alarm["kind"] for alarm in open_alarms(registry) if alarm["subject"] == subject]
    for kind in over:
        if kind in kinds and kind not in raised:
            clear(settings, subject, kind)


def open_alarms(registry: Connection) -> list[dict[str, Any]]:
    """Return the alarms that are open, oldest first."""
    return registry.execute("SELECT * FROM alarms WHERE cleared_at IS NULL ORDER BY id").fetchall()


def _next_number(registry: Connection) -> int:
    row = registry.execute("SELECT coalesce(max(id), 0) + 1 AS number FROM alarms").fetchone()
    return int(row["number"]) if row else 1


def _send(
    settings: Settings, number: int, subject: str, kind: str, state: str, message: str, runbook: str
) -> None:
    """Put a record on the log. An alarm about a log that is down is a row all the same."""
    now = int(time.time() * 1000)
    record = {
        "event_id": f"alarm-{number}-{state}",
        "subject": subject,
        "kind": kind,
        "state": state,
        "message": message,
        "runbook": runbook,
        "occurred_at": now,
        "sent_at": now,
    }
    try:
        producer = KafkaProducer(**settings.kafka_client(ROLE), bootstrap_timeout_ms=SEND_SECONDS * 1000)
        try:
            producer.send(TOPIC, key=subject.encode(), value=json.dumps(record).encode(), timestamp_ms=now)
            producer.flush(timeout=SEND_SECONDS)
        finally:
            producer.close(timeout=SEND_SECONDS)
    except KafkaError:
        return
