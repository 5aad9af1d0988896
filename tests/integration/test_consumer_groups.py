"""Consumer groups on a real Kafka: fan-out between groups, load balancing inside one, take-over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaAdminClient, KafkaConsumer
from kafka.errors import GroupAuthorizationFailedError

from headwater.shop import Simulation, simulate
from headwater.topics import load_topics
from headwater.topics.applying import apply
from headwater.topics.plan import plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from headwater.settings import Settings

EVENTS = 300
PATIENCE = 60
MEMBER = Path(__file__).with_name("group_member.py")


@pytest.fixture
def topic(instance: Settings) -> Iterator[str]:
    """Make a topic of three partitions that holds 300 events."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    declared = load_topics()["page_views"].model_copy(update={"name": name})
    apply(instance, plan(instance, {name: declared}))
    simulate(
        instance, Simulation(topic=name, start=datetime.now(UTC), count=EVENTS), report=lambda line: None
    )
    yield name
    with KafkaAdminClient(**instance.kafka_client("admin")) as admin:
        admin.delete_topics([name])


@pytest.fixture
def group() -> str:
    return f"headwater.test.{uuid.uuid4().hex[:12]}"


def member(settings: Settings, topic: str, group: str) -> KafkaConsumer:
    return KafkaConsumer(
        topic,
        **settings.kafka_client("apps"),
        group_id=group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        session_timeout_ms=6_000,
        heartbeat_interval_ms=1_000,
    )


def read_until(enough: Callable[[], bool], *members: tuple[KafkaConsumer, list[Any]]) -> None:
    """Let the members read in turn, each into its own list, until it is enough."""
    deadline = time.monotonic() + PATIENCE
    while not enough():
        assert time.monotonic() < deadline, [len(read) for _, read in members]
        for consumer, read in members:
            for batch in consumer.poll(timeout_ms=200).values():
                read += batch


def places(read: list[Any]) -> Counter[tuple[int, int]]:
    return Counter((record.partition, record.offset) for record in read)


def test_every_group_gets_every_event(instance: Settings, topic: str, group: str) -> None:
    with (
        closing(member(instance, topic, group)) as one,
        closing(member(instance, topic, f"{group}.b")) as two,
    ):
        first: list[Any] = []
        second: list[Any] = []
        read_until(lambda: len(first) >= EVENTS and len(second) >= EVENTS, (one, first), (two, second))
    assert places(first) == places(second)
    assert set(places(first).values()) == {1}


def test_members_of_a_group_share_the_partitions(instance: Settings, topic: str, group: str) -> None:
    with closing(member(instance, topic, group)) as one, closing(member(instance, topic, group)) as two:
        ignored: list[Any] = []
        read_until(
            lambda: sorted([len(one.assignment()), len(two.assignment())]) == [1, 2],
            (one, ignored),
            (two, ignored),
        )
        assert not one.assignment() & two.assignment()
        for consumer in (one, two):
            consumer.seek_to_beginning()
        first: list[Any] = []
        second: list[Any] = []
        read_until(lambda: len(first) + len(second) >= EVENTS, (one, first), (two, second))
    assert first
    assert second
    assert not {record.partition for record in first} & {record.partition for record in second}
    assert sum((places(first) + places(second)).values()) == EVENTS
    assert set((places(first) + places(second)).values()) == {1}


def test_a_member_that_is_killed_is_replaced_from_the_last_committed_offset(
    instance: Settings, topic: str, group: str
) -> None:
    committed = committed_by_a_member_that_is_killed(instance, topic, group)
    with closing(member(instance, topic, group)) as heir:
        inherited: list[Any] = []
        read_until(lambda: len(inherited) >= EVENTS - sum(committed.values()), (heir, inherited))
    # From the committed offset on, each event once: nothing is lost, and what the dead member had read but
    # not committed comes again.
    first = {record.partition: record.offset for record in reversed(inherited)}
    assert first == {partition: committed.get(partition, 0) for partition in first}
    assert len(inherited) == EVENTS - sum(committed.values())
    assert set(places(inherited).values()) == {1}


def committed_by_a_member_that_is_killed(settings: Settings, topic: str, group: str) -> dict[int, int]:
    """Run a member until it has committed 100 events and read 120, kill it, and return what it committed."""
    command = [sys.executable, str(MEMBER), settings.home, topic, group, "100"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = iter(process.stdout.readline, "")
            committed = next(line for line in said if line.startswith("committed "))
            next(line for line in said if line == "read 120\n")
        finally:
            os.kill(process.pid, signal.SIGKILL)
    return {int(partition): offset for partition, offset in json.loads(committed.split(" ", 1)[1]).items()}


def test_a_role_may_not_join_a_group_of_another_name(instance: Settings, topic: str) -> None:
    stranger = member(instance, topic, "someone.else")
    with closing(stranger), pytest.raises(GroupAuthorizationFailedError):
        read_until(lambda: False, (stranger, []))
