"""The log as it is: brokers, topics and access control lists, seen through Kafka's admin interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ConfigResource,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
)

from headwater.topics.access import Access

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafka import KafkaAdminClient

EVERY_ACL = ACLFilter(
    None,
    None,
    ACLOperation.ANY,
    ACLPermissionType.ANY,
    ResourcePatternFilter(ResourceType.ANY, None, ACLResourcePatternType.ANY),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActualTopic:
    """A topic as Kafka has it."""

    partitions: int
    replication: int
    config: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """All that the admin step compares with the files; Kafka's own internal topics are left out."""

    brokers: int
    topics: Mapping[str, ActualTopic]
    access: frozenset[Access]


def observe(admin: KafkaAdminClient) -> Cluster:
    """Read brokers, topics, their configuration and all access control lists."""
    described = {topic["name"]: topic for topic in admin.describe_topics() if not topic["is_internal"]}
    settled = configs(admin, list(described))
    topics = {
        name: ActualTopic(
            partitions=len(topic["partitions"]),
            replication=len(topic["partitions"][0]["replica_nodes"]),
            config=settled[name],
        )
        for name, topic in described.items()
    }
    acls, _ = admin.describe_acls(EVERY_ACL)
    brokers = [broker for broker in admin.describe_cluster()["brokers"] if not broker.get("is_fenced")]
    return Cluster(brokers=len(brokers), topics=topics, access=frozenset(_from_acl(acl) for acl in acls))


def to_acl(access: Access) -> ACL:
    """Put an entry into kafka-python's form."""
    return ACL(
        principal=access.principal,
        host=access.host,
        operation=ACLOperation[access.operation],
        permission_type=ACLPermissionType[access.permission],
        resource_pattern=ResourcePattern(
            ResourceType[access.kind], access.name, ACLResourcePatternType[access.pattern]
        ),
    )


def _from_acl(acl: ACL) -> Access:
    resource = acl.resource_pattern
    return Access(
        principal=acl.principal,
        operation=acl.operation.name,
        kind=resource.resource_type.name,
        name=resource.resource_name,
        pattern=resource.pattern_type.name,
        host=acl.host,
        permission=acl.permission_type.name,
    )


def configs(admin: KafkaAdminClient, names: list[str]) -> dict[str, dict[str, str]]:
    """Return all settings of topics, those that Kafka has chosen itself as well."""
    if not names:
        return {}
    resources = [ConfigResource("topic", name) for name in names]
    described: dict[str, dict[str, dict[str, Any]]]
    described = admin.describe_configs(resources, config_filter="all")["topic"]
    return {
        name: {key: str(entry["value"]) for key, entry in entries.items()}
        for name, entries in described.items()
    }
