"""The guard of retention on a real Kafka: told before it happens, and when it has."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaProducer, TopicPartition
from kafka.admin import ConfigResource
from psycopg.types.json import Jsonb

from headwater import alarms, retention
from headwater.brokers import admin_client
from headwater.registry import apps, connect, heartbeats
from headwater.retention import guarding
from tests.streams import Log, new_log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
SLACK = MINUTE  # that a test may take
APP = "retention-test"


@pytest.fixture
def log(instance: Settings) -> Log:
    """Return a topic that keeps its records for an hour; the oldest is 50 minutes old, the newest ten."""
    log = new_log(instance)
    with admin_client(instance, "admin") as admin:
        admin.alter_configs(
            [ConfigResource("topic", log.topic.name, {"retention.ms": str(HOUR // MINUTE * 60_000)})]
        )
    producer = KafkaProducer(**instance.kafka_client("simulator"))
    for minutes in range(50, 5, -5):
        producer.send(
            log.topic.name,
            value=b"x" * 1000,
            partition=0,
            timestamp_ms=int((time.time() - 60 * minutes) * 1000),
        ).get(timeout=30)
    producer.close()
    return log


def reached(log: Log, offset: int) -> dict[str, dict[str, int]]:
    return {log.topic.name: {str(part): offset if part == 0 else 0 for part in log.ends()}}


@pytest.fixture
def query(instance: Settings) -> Iterator[str]:
    """Return a query of an app that is stopped."""
    with connect(instance) as registry:
        registry.execute("INSERT INTO artifacts VALUES (%s, 'nowhere', %s)", [APP, Jsonb({})])
        apps.assign(registry, APP, APP, [])
        heartbeats.beat(registry, query=f"{APP}-query", app=APP, token=1, phase="live")
        apps.want(registry, APP, "stopped")
    yield f"{APP}-query"
    with connect(instance) as registry:
        registry.execute("DELETE FROM heartbeats WHERE app = %s", [APP])
        registry.execute("DELETE FROM apps WHERE name = %s", [APP])
        registry.execute("DELETE FROM artifacts WHERE hash = %s", [APP])


def told_of(settings: Settings, query: str, read: dict[str, Any]) -> list[dict[str, Any]]:
    """Let a query have read so far, look once, and return what is told of it."""
    with connect(settings) as registry:
        registry.execute("UPDATE heartbeats SET offsets = %s WHERE query = %s", [Jsonb(read), query])
    guarding.look_after(settings)
    with connect(settings) as registry:
        return [alarm for alarm in alarms.open_alarms(registry) if alarm["subject"] == query]


def test_time_and_bytes_left_are_those_of_the_first_unread_record(instance: Settings, log: Log) -> None:
    queries = {str(offset): reached(log, offset) for offset in (0, 4, 9)}
    found = retention.margins(instance, queries)
    assert timedelta(0) <= 10 * MINUTE - (found["0"].time_left or HOUR) < SLACK
    assert timedelta(0) <= 30 * MINUTE - (found["4"].time_left or HOUR) < SLACK
    assert found["9"].time_left is None
    assert [found[query].unread for query in queries] == [9, 5, 0]
    assert [found[query].tight for query in queries] == [True, False, False]
    (part,) = [part for part in retention.usage(instance, [log.topic.name]) if part.partition == 0]
    assert (part.beginning, part.end, part.retention) == (0, 9, HOUR)
    assert part.size > 9 * 1000
    assert [found[query].bytes_left for query in ("0", "4")] == [0, part.size * 4 // 9]


def test_query_is_told_of_before_it_loses_records_and_until_it_has_read_them(
    instance: Settings, log: Log, query: str
) -> None:
    (alarm,) = told_of(instance, query, reached(log, 0))
    assert (alarm["kind"], alarm["runbook"]) == ("retention", "docs/runbooks/retention.md")
    assert (
        f"the first of 9 unread records of partition 0 of {log.topic.name} is let go in" in alarm["message"]
    )
    assert told_of(instance, query, reached(log, 0)) == [alarm]
    assert told_of(instance, query, reached(log, 9)) == []


def test_records_that_are_gone_unread_are_told(instance: Settings, log: Log, query: str) -> None:
    with admin_client(instance, "admin") as admin:
        admin.delete_records({TopicPartition(log.topic.name, 0): 5})
    (alarm,) = told_of(instance, query, reached(log, 2))
    assert f"3 records of partition 0 of {log.topic.name} are gone, and were not read" in alarm["message"]
    assert told_of(instance, query, reached(log, 9)) == []
