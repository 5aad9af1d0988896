"""Topics and access on a real Kafka: made from files, kept in step, never silently altered."""

from __future__ import annotations

import signal
import subprocess
import sys
import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, get_args

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource
from kafka.errors import (
    AuthorizationError,
    GroupAuthorizationFailedError,
    KafkaError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)

from headwater.errors import Refusal
from headwater.shop import Simulation, records, simulate
from headwater.topics import Topic, load_topics
from headwater.topics.access import GROUPS, SIZES, Access, granted
from headwater.topics.applying import apply
from headwater.topics.cluster import EVERY_ACL, observe, to_acl
from headwater.topics.plan import Plan, plan
from headwater.topics.topic import Role
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from headwater.settings import Settings

DECLARED = """\
description: Something happened in a test.
key: user_id
partitions: {partitions}
retention: {retention}
cleanup: delete
largest_event: 256 kB
written_by: [{written_by}]
read_by: [apps]
schema:
  event_id: string
  user_id: string
  page: string
  occurred_at: timestamp
  sent_at: timestamp
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """The file of one topic, in a folder of its own, that can be written again."""

    settings: Settings
    folder: Path
    suffix: str

    @property
    def name(self) -> str:
        return f"page_views{self.suffix}"

    def simulation(self, **options: Any) -> Simulation:
        """Return a simulation that sends page views to this topic."""
        return Simulation(streams=("page_views",), suffix=self.suffix, **options)

    def write(self, *, partitions: int = 3, retention: str = "7 days", written_by: str = "simulator") -> None:
        text = DECLARED.format(partitions=partitions, retention=retention, written_by=written_by)
        (self.folder / f"{self.name}.yaml").write_text(text)

    def topics(self) -> dict[str, Topic]:
        return load_topics(self.folder)

    def plan(self, **leave: bool) -> Plan:
        return plan(self.settings, self.topics(), **leave)

    def apply(self, **leave: bool) -> None:
        apply(self.settings, self.plan(**leave))


@pytest.fixture
def admin(instance: Settings) -> Iterator[KafkaAdminClient]:
    with KafkaAdminClient(**instance.kafka_client("admin")) as client:
        yield client


@pytest.fixture
def declared(instance: Settings, admin: KafkaAdminClient, tmp_path: Path) -> Iterator[Declared]:
    file = Declared(settings=instance, folder=tmp_path, suffix=f"_{uuid.uuid4().hex[:12]}")
    file.write()
    yield file
    if file.name in admin.list_topics():
        admin.delete_topics([file.name])


def partition_count(admin: KafkaAdminClient, topic: str) -> int:
    return len(admin.describe_topics([topic])[0]["partitions"])


def setting(admin: KafkaAdminClient, topic: str, key: str) -> str:
    described = admin.describe_configs([ConfigResource("topic", topic)], config_filter="all")
    return str(described["topic"][topic][key]["value"])


def read_all(settings: Settings, topic: str, role: str = "apps") -> dict[int, list[Any]]:
    """Read a topic from start to end, by partition."""
    with_end = KafkaConsumer(**settings.kafka_client(role), group_id=None, auto_offset_reset="earliest")
    try:
        places = [TopicPartition(topic, partition) for partition in with_end.partitions_for_topic(topic)]
        with_end.assign(places)
        ends = with_end.end_offsets(places)
        read: dict[int, list[Any]] = {place.partition: [] for place in places}
        while any(with_end.position(place) < end for place, end in ends.items()):
            for place, batch in with_end.poll(timeout_ms=1000).items():
                read[place.partition] += batch
        return read
    finally:
        with_end.close()


def test_a_declared_topic_is_created_and_the_second_plan_is_empty(
    declared: Declared, admin: KafkaAdminClient
) -> None:
    first = declared.plan()
    assert f'create topic "{declared.name}" with 3 partitions' in first.lines()
    apply(declared.settings, first)

    assert partition_count(admin, declared.name) == 3
    assert setting(admin, declared.name, "retention.ms") == str(7 * 24 * 3600 * 1000)
    assert setting(admin, declared.name, "message.timestamp.type") == "CreateTime"
    second = declared.plan()
    assert second.in_step
    assert second.lines()[0] == "topics are in step"


def test_a_plan_alone_changes_nothing(declared: Declared, admin: KafkaAdminClient) -> None:
    declared.plan(fix_drift=True, grow=True)
    assert declared.name not in admin.list_topics()


def test_a_plan_can_be_applied_twice(declared: Declared) -> None:
    first = declared.plan()
    apply(declared.settings, first)
    apply(declared.settings, first)
    assert declared.plan().in_step


def test_drift_is_reported_and_altered_only_on_request(declared: Declared, admin: KafkaAdminClient) -> None:
    declared.apply()
    admin.alter_configs([ConfigResource("topic", declared.name, {"retention.ms": "3600000"})])

    drifted = declared.plan()
    assert not drifted.in_step
    assert not drifted.changes
    assert any("retention.ms" in line and "--fix-drift" in line for line in drifted.lines())
    apply(declared.settings, drifted)
    assert setting(admin, declared.name, "retention.ms") == "3600000"

    declared.apply(fix_drift=True)
    assert setting(admin, declared.name, "retention.ms") == str(7 * 24 * 3600 * 1000)
    assert declared.plan().in_step


def test_partitions_are_added_only_on_request(declared: Declared, admin: KafkaAdminClient) -> None:
    declared.apply()
    declared.write(partitions=5)
    declared.apply()
    declared.apply(fix_drift=True)
    assert partition_count(admin, declared.name) == 3
    assert any("keys move" in line and "--grow" in line for line in declared.plan().lines())

    declared.apply(grow=True)
    assert partition_count(admin, declared.name) == 5
    assert declared.plan().in_step


def test_shrinking_is_refused_by_file_and_field(declared: Declared, admin: KafkaAdminClient) -> None:
    declared.apply()
    declared.write(partitions=2)
    with pytest.raises(Refusal, match=rf'{declared.name}\.yaml: field "partitions": 2 declared, Kafka has 3'):
        declared.plan(fix_drift=True, grow=True)
    assert partition_count(admin, declared.name) == 3


def test_a_topic_without_a_file_is_reported_and_left_alone(
    declared: Declared, admin: KafkaAdminClient
) -> None:
    declared.apply()
    (declared.folder / f"{declared.name}.yaml").unlink()
    without = declared.plan(fix_drift=True, grow=True)
    assert declared.name in without.undeclared
    apply(declared.settings, without)
    assert declared.name in admin.list_topics()


def test_a_role_that_a_file_no_longer_names_loses_its_access_on_request(declared: Declared) -> None:
    declared.apply()
    write(declared, "simulator")
    declared.write(written_by="connect")
    declared.apply()
    write(declared, "simulator")
    declared.apply(fix_drift=True)
    assert declared.plan().in_step
    with pytest.raises(TopicAuthorizationFailedError):
        write(declared, "simulator")
    write(declared, "connect")


def write(declared: Declared, role: str) -> None:
    """Write without idempotence, which would be refused first and for another reason."""
    producer = KafkaProducer(**declared.settings.kafka_client(role), enable_idempotence=False)
    try:
        producer.send(declared.name, key=b"user", value=b"{}").get(timeout=30)
    finally:
        producer.close(timeout=10)


def test_the_role_simulator_may_write_but_not_read(declared: Declared) -> None:
    declared.apply()
    write(declared, "simulator")
    with pytest.raises(TopicAuthorizationFailedError):
        read_all(declared.settings, declared.name, role="simulator")


def test_the_role_apps_may_read_but_not_write(declared: Declared) -> None:
    declared.apply()
    write(declared, "simulator")
    assert sum(len(batch) for batch in read_all(declared.settings, declared.name, role="apps").values()) == 1
    with pytest.raises(TopicAuthorizationFailedError):
        write(declared, "apps")


ROLES = get_args(Role)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_do_what_the_files_say_and_nothing_more(instance: Settings, role: str) -> None:
    topics = load_topics()
    wanted = {name: rights(topic, role) for name, topic in topics.items() if rights(topic, role)}
    with KafkaAdminClient(**instance.kafka_client(role)) as client:
        told = {topic["name"]: set(topic["authorized_operations"]) for topic in client.describe_topics()}
        cluster = set(client.describe_cluster()["authorized_operations"])
    assert {name: may for name, may in told.items() if name in topics} == wanted
    assert not any(name.startswith("__") for name in told), "Kafka's own topics are nobody's"
    assert cluster == ({"DESCRIBE"} if role in SIZES else set())


def rights(topic: Topic, role: str) -> set[str]:
    """Return what a topic's file lets a role do, in Kafka's words."""
    may = {"WRITE"} if role in topic.written_by else set()
    may |= {"READ"} if role in topic.read_by else set()
    may |= {"DESCRIBE_CONFIGS"} if role in topic.read_by and role in SIZES else set()
    return may | {"DESCRIBE"} if may else may


@pytest.mark.parametrize("role", ROLES)
def test_no_role_may_administer(declared: Declared, role: str) -> None:
    declared.apply()
    made = {"num_partitions": 1, "replication_factor": 1}
    open_door = Access(principal=f"User:{role}", operation="ALL", kind="TOPIC", name=declared.name)
    attempts: list[Callable[[KafkaAdminClient], object]] = [
        lambda client: client.create_topics({f"{declared.name}_more": made}),
        lambda client: client.delete_topics([declared.name]),
        lambda client: client.create_partitions({declared.name: 9}),
    ]
    if role not in SIZES:  # who may ask for sizes may look at access, too
        attempts.append(lambda client: client.describe_acls(EVERY_ACL))
    with KafkaAdminClient(**declared.settings.kafka_client(role)) as client:
        for attempt in attempts:
            with pytest.raises((AuthorizationError, UnknownTopicOrPartitionError)):
                attempt(client)
        assert client.create_acls([to_acl(open_door)])["succeeded"] == []


def test_nobody_has_access_that_no_file_grants(instance: Settings, admin: KafkaAdminClient) -> None:
    whole = granted(load_topics().values())
    surplus = {access for access in observe(admin).access - whole if access.kind != "TOPIC"}
    assert {(access.principal, access.operation, access.name, access.pattern) for access in surplus} == {
        ("User:connect", "ALL", "connect", "PREFIXED")  # its own groups and transactions
    }


@pytest.mark.parametrize("role", [role for role in GROUPS if role != "apps"])
def test_a_service_may_join_its_own_groups_only(instance: Settings, role: str) -> None:
    with KafkaAdminClient(**instance.kafka_client(role)) as client:
        client.list_group_offsets({f"{GROUPS[role]}-probe": None})
        for other in {"headwater.somebody", *GROUPS.values()} - {GROUPS[role]}:
            with pytest.raises(GroupAuthorizationFailedError):
                client.list_group_offsets({other: None})


def test_a_client_without_a_name_is_refused(declared: Declared) -> None:
    declared.apply()
    anonymous = {
        "bootstrap_servers": declared.settings.kafka_bootstrap_servers,
        "security_protocol": "PLAINTEXT",
        "bootstrap_timeout_ms": 5_000,
    }
    with pytest.raises(KafkaError):
        KafkaAdminClient(**anonymous)


def test_a_wrong_password_is_refused(declared: Declared) -> None:
    declared.apply()
    right = declared.settings.kafka_client("apps") | {"bootstrap_timeout_ms": 5_000}
    KafkaAdminClient(**right).close()
    with pytest.raises(KafkaError):
        KafkaAdminClient(**right | {"sasl_plain_password": "guess"})


@pytest.mark.parametrize("way", ["loaded", "live"])
def test_events_of_a_key_stay_in_one_partition_in_order(declared: Declared, way: str) -> None:
    declared.apply()
    start = datetime.now(UTC) - timedelta(seconds=30)
    simulation = declared.simulation(
        seed=11, rate=200, start=start, count=600, users=40, malformed=0.05, repeated=0.1
    )
    if way == "live":
        simulation = replace(simulation, start=None)
    counts = simulate(declared.settings, simulation, report=lambda line: None)
    assert counts.sent == 600

    partition_of: dict[bytes, int] = {}
    read_by_key: dict[bytes, list[bytes | None]] = {}
    for partition, batch in read_all(declared.settings, declared.name).items():
        for record in batch:
            assert partition_of.setdefault(record.key, partition) == partition
            read_by_key.setdefault(record.key, []).append(record.value)
    assert len(set(partition_of.values())) == 3
    assert sum(len(values) for values in read_by_key.values()) == 600
    if way == "loaded":
        sent_by_key: dict[bytes, list[bytes | None]] = {}
        for sent in records(simulation):
            sent_by_key.setdefault(sent.key, []).append(sent.value)
        assert read_by_key == sent_by_key


def test_both_ways_of_sending_choose_the_same_partition_for_a_key(declared: Declared) -> None:
    declared.apply()
    live = declared.simulation(seed=3, rate=500, count=300, users=60)
    simulate(declared.settings, live, report=lambda line: None)
    loaded = replace(live, start=datetime.now(UTC))
    simulate(declared.settings, loaded, report=lambda line: None)
    places: dict[bytes, set[int]] = {}
    for partition, batch in read_all(declared.settings, declared.name).items():
        for record in batch:
            places.setdefault(record.key, set()).add(partition)
    assert len(places) > 30
    assert all(len(partitions) == 1 for partitions in places.values())


def test_the_record_timestamp_is_when_the_event_was_received(declared: Declared) -> None:
    declared.apply()
    start = datetime.now(UTC) - timedelta(days=2)
    simulation = declared.simulation(rate=1, start=start, count=100)
    simulate(declared.settings, simulation, report=lambda line: None)
    batches = read_all(declared.settings, declared.name).values()
    read = [record.timestamp for batch in batches for record in batch]
    first = round(start.timestamp() * 1000)
    assert sorted(read) == [first + 1000 * number for number in range(100)]


def test_a_partition_asked_for_gets_everything(declared: Declared) -> None:
    declared.apply()
    skewed = declared.simulation(start=datetime.now(UTC), count=50, partition=1)
    simulate(declared.settings, skewed, report=lambda line: None)
    read = read_all(declared.settings, declared.name)
    assert {partition: len(batch) for partition, batch in read.items()} == {0: 0, 1: 50, 2: 0}


@pytest.mark.parametrize("start", [None, datetime.now(UTC)], ids=["live", "loaded"])
def test_a_partition_that_is_not_there_is_refused(declared: Declared, start: datetime | None) -> None:
    declared.apply()
    beyond = declared.simulation(start=start, count=1, partition=3)
    with pytest.raises(Refusal, match="has no partition 3"):
        simulate(declared.settings, beyond, report=lambda line: None)


def test_a_simulation_ends_cleanly_on_sigterm(declared: Declared) -> None:
    declared.apply()
    code = (
        "from pathlib import Path; import sys\n"
        "from headwater.settings import Settings\n"
        "from headwater.shop import Simulation, simulate\n"
        "simulation = Simulation(streams=('page_views',), suffix=sys.argv[2], rate=200)\n"
        "print('starting', flush=True)\n"
        "print('sent', simulate(Settings.load(Path(sys.argv[1])), simulation).sent)\n"
    )
    command = [sys.executable, "-c", code, declared.settings.home, declared.suffix]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            wait_for("the first event", lambda: count_of(declared) > 0)
            process.send_signal(signal.SIGTERM)
            said, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0
    assert said.splitlines()[-1] == f"sent {count_of(declared)}"


def count_of(declared: Declared) -> int:
    return sum(len(batch) for batch in read_all(declared.settings, declared.name).values())


def test_a_simulation_for_a_topic_that_is_not_there_is_refused(instance: Settings) -> None:
    nowhere = Simulation(suffix=f"_{uuid.uuid4().hex[:12]}", start=datetime.now(UTC), count=1)
    with pytest.raises(Refusal, match="could not be sent"):
        simulate(instance, nowhere, report=lambda line: None)
