"""Carrying out a plan, and waiting until Kafka shows it."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from kafka.admin import ConfigResource
from kafka.errors import NoError, TopicAlreadyExistsError

from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.topics.cluster import observe, to_acl
from headwater.topics.plan import AddPartitions, Change, CreateTopic, Grant, Plan, Revoke, SetConfig, compare

if TYPE_CHECKING:
    from kafka import KafkaAdminClient

    from headwater.settings import Settings

PATIENCE = timedelta(seconds=30)


def apply(settings: Settings, plan: Plan) -> None:
    """Make the plan's changes, and only those. Applying the same plan twice does nothing the second time."""
    if not plan.changes:
        return
    with admin_client(settings, "admin") as admin:
        for change in plan.changes:
            _make(admin, change)
        _await(admin, plan)


def _make(admin: KafkaAdminClient, change: Change) -> None:
    match change:
        case CreateTopic():
            _create(admin, change)
        case AddPartitions():
            _grow(admin, change)
        case SetConfig():
            resource = ConfigResource("topic", change.topic, {change.key: change.declared})
            _check(change, admin.alter_configs([resource])["topic"][change.topic])
        case Grant():
            for error in admin.create_acls([to_acl(change.access)])["failed"]:
                _check(change, error)
        case Revoke():
            for _, _, error in admin.delete_acls([to_acl(change.access)]):
                _check(change, error)


def _create(admin: KafkaAdminClient, change: CreateTopic) -> None:
    declared = {
        "num_partitions": change.partitions,
        "replication_factor": change.replication,
        "configs": dict(change.config),
    }
    with suppress(TopicAlreadyExistsError):  # made meanwhile; if it differs, the next plan tells
        admin.create_topics({change.topic: declared}, wait_for_metadata=True)


def _grow(admin: KafkaAdminClient, change: AddPartitions) -> None:
    if observe(admin).topics[change.topic].partitions < change.declared:
        admin.create_partitions({change.topic: change.declared})


def _check(change: Change, error: object) -> None:
    """Refuse when Kafka did not do it: kafka-python returns these errors instead of raising them."""
    if error not in (NoError, "OK", None):
        raise Refusal(f"Kafka refused a change: {change}", detail=str(error))


def _await(admin: KafkaAdminClient, plan: Plan) -> None:
    """Wait until the changes are seen: the controller confirms them before all brokers know."""
    deadline = time.monotonic() + PATIENCE.total_seconds()
    while pending := set(plan.changes) & set(compare(plan.topics, observe(admin))):
        if time.monotonic() > deadline:
            raise Refusal(
                "Kafka did not show the changes in time",
                detail="\n".join(sorted(str(change) for change in pending)),
                hint="Look at Kafka's log, then plan again.",
            )
        time.sleep(0.1)
