"""What differs between files and Kafka, decided without Kafka."""

from __future__ import annotations

import pytest

from headwater.errors import Refusal
from headwater.topics import Topic, load_topics
from headwater.topics.access import Access
from headwater.topics.cluster import ActualTopic, Cluster
from headwater.topics.plan import AddPartitions, Change, CreateTopic, Grant, Plan, Revoke, SetConfig, compare

PAGE_VIEWS = load_topics()["page_views"]
ACCESS = frozenset(
    {
        Access(principal="User:simulator", operation="WRITE", kind="TOPIC", name="page_views"),
        Access(principal="User:simulator", operation="DESCRIBE", kind="TOPIC", name="page_views"),
        *(
            Access(principal=f"User:{role}", operation=operation, kind=kind, name=name, pattern=pattern)
            for role in ("apps", "replay")
            for operation, kind, name, pattern in (
                ("READ", "TOPIC", "page_views", "LITERAL"),
                ("DESCRIBE", "TOPIC", "page_views", "LITERAL"),
                ("DESCRIBE_CONFIGS", "TOPIC", "page_views", "LITERAL"),
                ("DESCRIBE", "CLUSTER", "kafka-cluster", "LITERAL"),
                ("READ", "GROUP", "headwater.", "PREFIXED"),
                ("DESCRIBE", "GROUP", "headwater.", "PREFIXED"),
            )
        ),
    }
)
CONFIG = {
    "cleanup.policy": "delete",
    "retention.ms": "604800000",
    "max.message.bytes": "1052672",
    "message.timestamp.type": "CreateTime",
    "min.insync.replicas": "1",
}


def cluster(
    *,
    brokers: int = 1,
    partitions: int = 3,
    replication: int = 1,
    access: frozenset[Access] = ACCESS,
    **config: str,
) -> Cluster:
    """Return a cluster in step with page_views.yaml, but for what is given."""
    settings = CONFIG | {key.replace("_", "."): value for key, value in config.items()}
    actual = ActualTopic(partitions=partitions, replication=replication, config=settings)
    return Cluster(brokers=brokers, topics={"page_views": actual}, access=access)


def changes(kafka: Cluster, topic: Topic = PAGE_VIEWS) -> list[Change]:
    return list(compare({topic.name: topic}, kafka))


def test_nothing_is_to_be_done_when_files_and_kafka_agree() -> None:
    assert changes(cluster()) == []


def test_a_missing_topic_and_all_its_access_are_made() -> None:
    nothing = Cluster(brokers=1, topics={}, access=frozenset())
    created, *granted = changes(nothing)
    assert created == CreateTopic(
        topic="page_views", partitions=3, replication=1, config=tuple(sorted(CONFIG.items()))
    )
    assert {grant.access for grant in granted if isinstance(grant, Grant)} == ACCESS
    assert len(granted) == len(ACCESS)


@pytest.mark.parametrize(
    ("brokers", "replication", "in_sync"), [(1, 1, "1"), (2, 2, "1"), (3, 3, "2"), (5, 3, "2")]
)
def test_a_topic_has_as_many_replicas_as_brokers_up_to_three(
    brokers: int, replication: int, in_sync: str
) -> None:
    created = changes(Cluster(brokers=brokers, topics={}, access=ACCESS))[0]
    assert isinstance(created, CreateTopic)
    assert created.replication == replication
    assert dict(created.config)["min.insync.replicas"] == in_sync


def test_brokers_that_came_later_do_not_make_a_topic_unwritable() -> None:
    assert changes(cluster(brokers=3, replication=1)) == []


def test_a_setting_that_differs_is_drift() -> None:
    (change,) = changes(cluster(retention_ms="1000"))
    assert change == SetConfig(topic="page_views", key="retention.ms", actual="1000", declared="604800000")
    assert change.needs == "fix_drift"


def test_fewer_partitions_in_kafka_are_drift_of_their_own_kind() -> None:
    (change,) = changes(cluster(partitions=1))
    assert change == AddPartitions(topic="page_views", actual=1, declared=3)
    assert change.needs == "grow"
    assert "keys move" in str(change)


def test_more_partitions_in_kafka_are_refused_by_file_and_field() -> None:
    with pytest.raises(Refusal, match=r'page_views\.yaml: field "partitions": 3 declared, Kafka has 4'):
        changes(cluster(partitions=4))


def test_access_that_no_file_grants_is_drift() -> None:
    stranger = Access(principal="User:connect", operation="READ", kind="TOPIC", name="page_views")
    (change,) = changes(cluster(access=ACCESS | {stranger}))
    assert change == Revoke(access=stranger)
    assert change.needs == "fix_drift"


def test_access_to_what_no_file_declares_is_left_alone() -> None:
    other = Access(
        principal="User:connect", operation="ALL", kind="TOPIC", name="connect-", pattern="PREFIXED"
    )
    assert changes(cluster(access=ACCESS | {other})) == []


def test_missing_access_is_granted() -> None:
    lost = Access(principal="User:apps", operation="READ", kind="TOPIC", name="page_views")
    assert changes(cluster(access=ACCESS - {lost})) == [Grant(access=lost)]


def test_a_plan_tells_what_is_done_what_is_left_and_which_flag_would_change_it() -> None:
    drift = AddPartitions(topic="page_views", actual=1, declared=3)
    created = CreateTopic(topic="logins", partitions=1, replication=1, config=())
    lines = Plan(topics={}, changes=(created,), drift=(drift,), undeclared=("attic",)).lines()
    assert lines[0] == 'create topic "logins" with 1 partition'
    assert lines[1].startswith("drift, left as it is (--grow to change): ")
    assert lines[2] == 'topic "attic" is in Kafka and in no file; left alone'


def test_an_empty_plan_says_so() -> None:
    assert Plan(topics={}, changes=(), drift=(), undeclared=()).lines() == ["topics are in step"]
