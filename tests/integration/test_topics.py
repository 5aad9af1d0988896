"""Topics on a real Kafka: made from files, kept in step, never silently altered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kafka.admin import ConfigResource

from headwater.errors import Refusal
from headwater.topics.applying import apply

if TYPE_CHECKING:
    from kafka import KafkaAdminClient

    from tests.declared_topics import Declared


def partition_count(admin: KafkaAdminClient, topic: str) -> int:
    return len(admin.describe_topics([topic])[0]["partitions"])


def setting(admin: KafkaAdminClient, topic: str, key: str) -> str:
    described = admin.describe_configs([ConfigResource("topic", topic)], config_filter="all")
    return str(described["topic"][topic][key]["value"])


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
