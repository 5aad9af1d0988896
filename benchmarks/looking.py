"""A look at an instance while it is at work: how far everybody has come, what has happened, what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from benchmarks.steadiness import Look
from headwater import carts, notifier, offsets
from headwater.brokers import admin_client
from headwater.local.processes import processes_of_instance
from headwater.observing import lag_of, observe
from headwater.shop import STREAMS, database
from headwater.topics import load_topics

if TYPE_CHECKING:
    from kafka import KafkaAdminClient

    from headwater.settings import Settings

SERVICES = {"notifier": notifier.Route(), "carts": carts.Route()}
EVENTS, CHANGED, CAPTURED = "events", "changed rows", "captured changes"
# Customers send events and write rows of some tables; the rows of all other tables are changed by the clerk.
TABLES = {topic.name: topic.table for topic in load_topics().values() if topic.table}
EVENT_TOPICS = sorted(STREAMS.keys() - TABLES.keys())
CHANGE_TOPICS = sorted(TABLES.keys() - STREAMS.keys())


def look(settings: Settings, minute: float) -> Look:
    """Look once."""
    statuses = observe(settings)
    with admin_client(settings, "admin") as client:
        services = {name: _lag(client, route.group, route.source.name) for name, route in SERVICES.items()}
        records = {EVENTS: _records(client, EVENT_TOPICS), CAPTURED: _records(client, CHANGE_TOPICS)}
    return Look(
        minute=minute,
        states={status.query: status.state for status in statuses},
        lag={status.query: status.lag for status in statuses} | services,
        behind={
            status.query: status.behind.total_seconds() if status.behind is not None else None
            for status in statuses
        },
        counts={**records, CHANGED: _changed_rows(settings)},
        memory=memory_of(settings),
        cores=psutil.cpu_percent() / 100 * (psutil.cpu_count() or 1),
    )


def memory_of(settings: Settings) -> float:
    """Return the gigabytes of all processes of the instance, shared pages divided among those who share."""
    total = 0
    for pid in processes_of_instance(Path(settings.home)):
        try:
            total += psutil.Process(pid).memory_full_info().pss
        except psutil.Error:  # it has ended meanwhile
            continue
    return total / 1e9


def _lag(client: KafkaAdminClient, group: str, topic: str) -> int | None:
    """Return how many records a consumer group has still to read."""
    read = offsets.published(client, group).get(topic, {})
    reached = {topic: {str(part): offset for part, offset in read.items()}}
    return lag_of(reached, {topic: offsets.ends(client, topic)})


def _records(client: KafkaAdminClient, topics: list[str]) -> int:
    """Return how many records topics have had.

    Of captured changes that is too many, as Kafka counts ends of transactions, and a deleted row is told
    twice: it shows that changes come, not that none is missing.
    """
    return sum(sum(offsets.ends(client, topic).values()) for topic in topics)


def _changed_rows(settings: Settings) -> int:
    """Return how many rows the clerk has changed, as the database counts."""
    with database.connect(settings) as shop:
        found = shop.execute(
            "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint FROM pg_stat_user_tables "
            "WHERE relname = ANY(%s)",
            [[TABLES[topic] for topic in CHANGE_TOPICS]],
        ).fetchone()
    return int(found[0]) if found else 0
