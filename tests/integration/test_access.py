"""Who may do what on a real Kafka: what the files say, and nothing more."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest
from kafka import KafkaAdminClient, KafkaProducer
from kafka.errors import (
    AuthorizationError,
    GroupAuthorizationFailedError,
    KafkaError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)

from headwater.topics import Topic, load_topics
from headwater.topics.access import GROUPS, SIZES, Access, granted
from headwater.topics.cluster import EVERY_ACL, observe, to_acl
from headwater.topics.topic import Role
from tests.declared_topics import read_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from headwater.settings import Settings
    from tests.declared_topics import Declared


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


@pytest.mark.parametrize("role", [role for role in GROUPS if GROUPS[role] != GROUPS["apps"]])
def test_a_service_may_join_its_own_groups_only(instance: Settings, role: str) -> None:
    with KafkaAdminClient(**instance.kafka_client(role)) as client:
        client.list_group_offsets({f"{GROUPS[role]}-probe": None})
        for other in {"headwater.somebody", *GROUPS.values()} - {GROUPS[role]}:
            with pytest.raises(GroupAuthorizationFailedError):
                client.list_group_offsets({other: None})


OUTPUTS = [name for name, topic in load_topics().items() if "apps" in topic.written_by]


@pytest.mark.parametrize("role", ["replay", "console"])
@pytest.mark.parametrize("topic", OUTPUTS)
def test_who_only_looks_can_write_no_output(instance: Settings, role: str, topic: str) -> None:
    producer = KafkaProducer(**instance.kafka_client(role), enable_idempotence=False)
    try:
        with pytest.raises(TopicAuthorizationFailedError):
            producer.send(topic, key=b"user", value=b"{}").get(timeout=30)
    finally:
        producer.close(timeout=10)


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
