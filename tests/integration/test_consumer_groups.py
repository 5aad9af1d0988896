"""Consumer groups on a real Kafka: fan-out between groups, load balancing inside one, take-over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
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
PATIENCE = 300
MEMBER = Path(__file__).with_name("group_member.py")


class Member:
    """A member of a group that reads in a thread of its own: members that took turns would never agree."""

    def __init__(self, settings: Settings, topic: str, group: str) -> None:
        self.consumer = KafkaConsumer(
            topic,
            **settings.kafka_client("apps"),
            group_id=group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            session_timeout_ms=6_000,
            heartbeat_interval_ms=1_000,
        )
        self.read: list[Any] = []
        self.partitions: set[int] = set()
        self.error: Exception | None = None
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self) -> Member:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join(timeout=PATIENCE)

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                for batch in self.consumer.poll(timeout_ms=200).values():
                    self.read += batch
                self.partitions = {place.partition for place in self.consumer.assignment()}
        except Exception as error:
            self.error = error
        finally:
            self.consumer.close()


@pytest.fixture
def topic(instance: Settings) -> Iterator[str]:
    """Make a topic of three partitions that holds 300 events."""
    name = f"page_views_{uuid.uuid4().hex[:12]}"
    declared = load_topics()["page_views"].model_copy(update={"name": name})
    apply(instance, plan(instance, {name: declared}))
    send_events(instance, name)
    yield name
    with KafkaAdminClient(**instance.kafka_client("admin")) as admin:
        admin.delete_topics([name])


@pytest.fixture
def group() -> str:
    return f"headwater.test.{uuid.uuid4().hex[:12]}"


def send_events(settings: Settings, topic: str) -> None:
    suffix = topic.removeprefix("page_views")
    events = Simulation(streams=("page_views",), suffix=suffix, start=datetime.now(UTC), count=EVENTS)
    simulate(settings, events, report=lambda line: None)


def wait_until(condition: Callable[[], bool], *members: Member) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert not [member.error for member in members if member.error]
        assert time.monotonic() < deadline, [(member.partitions, len(member.read)) for member in members]
        members[0].stop.wait(0.05)


def places(read: list[Any]) -> Counter[tuple[int, int]]:
    return Counter((record.partition, record.offset) for record in read)


def test_every_group_gets_every_event(instance: Settings, topic: str, group: str) -> None:
    with Member(instance, topic, group) as one, Member(instance, topic, f"{group}.other") as two:
        wait_until(lambda: len(one.read) >= EVENTS and len(two.read) >= EVENTS, one, two)
    assert places(one.read) == places(two.read)
    assert set(places(one.read).values()) == {1}


def test_members_of_a_group_share_the_partitions(instance: Settings, topic: str, group: str) -> None:
    with Member(instance, topic, group) as one, Member(instance, topic, group) as two:
        wait_until(lambda: sorted([len(one.partitions), len(two.partitions)]) == [1, 2], one, two)
        wait_until(lambda: len(places(one.read + two.read)) == EVENTS, one, two)
        assert not one.partitions & two.partitions
        before = set(places(one.read + two.read))
        send_events(instance, topic)
        wait_until(lambda: len(places(one.read + two.read)) == 2 * EVENTS, one, two)
    # What was there before may have been read by both, when the second member joined. Not what came then.
    first, second = places(one.read), places(two.read)
    new = [place for place in (first + second).elements() if place not in before]
    assert len(new) == EVENTS
    assert {partition for partition, _ in first.keys() - before} == one.partitions
    assert {partition for partition, _ in second.keys() - before} == two.partitions


def test_a_member_that_is_killed_is_replaced_from_the_last_committed_offset(
    instance: Settings, topic: str, group: str
) -> None:
    committed = committed_by_a_member_that_is_killed(instance, topic, group)
    remaining = EVENTS - sum(committed.values())
    with Member(instance, topic, group) as heir:
        wait_until(lambda: len(heir.read) >= remaining, heir)
    # From the committed offset on, each event once: nothing is lost, and what the dead member had read but
    # not committed comes again.
    first = {record.partition: record.offset for record in reversed(heir.read)}
    assert first == {partition: committed.get(partition, 0) for partition in first}
    assert len(heir.read) == remaining
    assert set(places(heir.read).values()) == {1}


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
    with Member(instance, topic, "someone.else") as stranger:
        stranger.thread.join(timeout=PATIENCE)
    assert isinstance(stranger.error, GroupAuthorizationFailedError)
    assert not stranger.read
