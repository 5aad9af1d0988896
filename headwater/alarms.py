"""Alarms: what a person should know, as rows in the registry and as records on the topic `alerts`.

An alarm is open until what it tells is over; raising it again while it is open tells nobody twice. The row
comes first, and gives the alarm its number; the record follows as soon as Kafka takes it: at once, or at a
later look. After a crash between the record and the note that it was sent it is sent again, with the same id.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kafka import KafkaProducer
from kafka.errors import KafkaError

from headwater.registry import connect

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from headwater.registry import Connection
    from headwater.settings import Settings

TOPIC = "alerts"
ROLE = "control"
RUNBOOKS = "docs/runbooks"
SEND_SECONDS = 10


def raise_alarm(settings: Settings, subject: str, kind: str, message: str, runbook: str = "") -> bool:
    """Raise an alarm about a subject (an app, a view, a part); return whether it is new."""
    with connect(settings) as registry:
        raised = registry.execute(
            """
            INSERT INTO alarms (subject, kind, message, runbook) VALUES (%s, %s, %s, %s)
            ON CONFLICT (subject, kind) WHERE cleared_at IS NULL DO NOTHING
            """,
            [subject, kind, message, runbook or runbook_of(kind)],
        )
    if raised.rowcount:
        tell(settings)
    return bool(raised.rowcount)


def runbook_of(kind: str) -> str:
    """Return the page that says what to do about an alarm, where whoever raises it names no other."""
    return f"{RUNBOOKS}/{kind.replace(' ', '-')}.md"


def clear(settings: Settings, subject: str, kind: str) -> bool:
    """Say that what an alarm told is over; return whether one was open."""
    return clear_all_but(settings, subject, {kind}, ())


def clear_all_but(settings: Settings, subject: str, kinds: Collection[str], raised: Collection[str]) -> bool:
    """Clear the open alarms about a subject, of these kinds, that a look did not raise again."""
    over = sorted(set(kinds) - set(raised))
    with connect(settings) as registry:
        cleared = registry.execute(
            "UPDATE alarms SET cleared_at = now() "
            "WHERE subject = %s AND kind = ANY(%s) AND cleared_at IS NULL",
            [subject, over],
        )
    if cleared.rowcount:
        tell(settings)
    return bool(cleared.rowcount)


def open_alarms(registry: Connection) -> list[dict[str, Any]]:
    """Return the alarms that are open, oldest first."""
    return registry.execute("SELECT * FROM alarms WHERE cleared_at IS NULL ORDER BY id").fetchall()


def tell(settings: Settings) -> None:
    """Put on the topic what it does not know yet, in order; what Kafka does not take is left for later."""
    with connect(settings) as registry:
        # One at a time: two would both send everything. Who dies lets go: the lock is the connection's.
        registry.execute("SELECT pg_advisory_lock(hashtext('telling alarms'))")
        if untold := _untold(registry):
            with suppress(KafkaError):  # an alarm about a log that is down is a row all the same
                _send(settings, registry, untold)


def _untold(registry: Connection) -> list[dict[str, Any]]:
    return registry.execute(
        """
        SELECT id, subject, kind, 'raised' AS state, message, runbook, raised_at AS occurred_at
        FROM alarms WHERE told IS NULL
        UNION ALL
        SELECT id, subject, kind, 'cleared', 'It is over.', runbook, cleared_at
        FROM alarms WHERE cleared_at IS NOT NULL AND told IS DISTINCT FROM 'cleared'
        ORDER BY occurred_at, id, state DESC
        """
    ).fetchall()


def _send(settings: Settings, registry: Connection, untold: list[dict[str, Any]]) -> None:
    patience = dict.fromkeys(("bootstrap_timeout_ms", "max_block_ms"), SEND_SECONDS * 1000)
    producer = KafkaProducer(**settings.kafka_client(ROLE), **patience)
    try:
        for news in untold:
            producer.send(TOPIC, **_record(news)).get(timeout=SEND_SECONDS)
            registry.execute("UPDATE alarms SET told = %s WHERE id = %s", [news["state"], news["id"]])
    finally:
        producer.close(timeout=SEND_SECONDS)


def _record(news: Mapping[str, Any]) -> dict[str, Any]:
    now = int(time.time() * 1000)
    told = ("subject", "kind", "state", "message", "runbook")
    record = {
        "event_id": f"alarm-{news['id']}-{news['state']}",
        **{field: news[field] for field in told},
        "occurred_at": int(news["occurred_at"].timestamp() * 1000),
        "sent_at": now,
    }
    return {"key": news["subject"].encode(), "value": json.dumps(record).encode(), "timestamp_ms": now}
