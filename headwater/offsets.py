"""Offsets: where a topic begins and ends, and how far its readers are.

An `Offsets` is always "the next one to read", as Kafka counts: end offsets are not included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka import TopicPartition
from kafka.admin import OffsetSpec
from kafka.structs import OffsetAndMetadata

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from kafka import KafkaAdminClient

    Offsets = dict[int, int]  # of one topic, by partition


def partitions(client: KafkaAdminClient, topic: str) -> list[int]:
    """Return the partitions of a topic."""
    (described,) = client.describe_topics([topic])
    return sorted(partition["partition_index"] for partition in described["partitions"])


def topic_ids(client: KafkaAdminClient, topics: Iterable[str]) -> dict[str, str]:
    """Return Kafka's own ids of topics: a topic that was deleted and made anew has another one."""
    return {topic["name"]: str(topic["topic_id"]) for topic in client.describe_topics(list(topics))}


def ends(client: KafkaAdminClient, topic: str) -> Offsets:
    """Return the offsets that the next records will get."""
    return _found(client, topic, OffsetSpec.LATEST)


def beginnings(client: KafkaAdminClient, topic: str) -> Offsets:
    """Return the first offsets that the log still holds."""
    return _found(client, topic, OffsetSpec.EARLIEST)


def since(client: KafkaAdminClient, topic: str, time: datetime) -> Offsets:
    """Return the first offsets of records received at a time or later; the end where there is none."""
    last = ends(client, topic)
    # Kafka takes negative times for words: -1 would be the end.
    found = _found(client, topic, max(0, int(time.timestamp() * 1000)))
    return {partition: offset if offset >= 0 else last[partition] for partition, offset in found.items()}


def _found(client: KafkaAdminClient, topic: str, spec: int) -> Offsets:
    places = [TopicPartition(topic, partition) for partition in partitions(client, topic)]
    found = client.list_partition_offsets(dict.fromkeys(places, spec))
    return {place.partition: answer.offset for place, answer in found.items()}


def sizes(client: KafkaAdminClient, topics: Iterable[str]) -> dict[str, Offsets]:
    """Return how many bytes each partition takes on the disk of a broker; who asks must be `admin`."""
    found: dict[str, Offsets] = {topic: {} for topic in topics}
    for broker in client.describe_log_dirs(sorted(found)):
        for folder in broker["log_dirs"]:
            for topic in folder["topics"]:
                parts = found[topic["name"]]
                for part in topic["partitions"]:
                    number = part["partition_index"]
                    parts[number] = max(parts.get(number, 0), part["partition_size"])
    return found


def publish(client: KafkaAdminClient, group: str, offsets: Mapping[str, Mapping[str, int]]) -> None:
    """Commit a streaming app's offsets as a consumer group, for every ordinary Kafka tool to see.

    Spark itself keeps them in its checkpoint only. They are for show: nothing is ever resumed from them.
    """
    committed = {
        TopicPartition(topic, int(partition)): OffsetAndMetadata(offset, "", -1)
        for topic, parts in offsets.items()
        for partition, offset in parts.items()
    }
    client.alter_group_offsets(group, committed)


def published(client: KafkaAdminClient, group: str) -> dict[str, Offsets]:
    """Return the offsets of a consumer group by topic."""
    offsets: dict[str, Offsets] = {}
    for place, committed in client.list_group_offsets({group: None})[group].items():
        offsets.setdefault(place.topic, {})[place.partition] = committed.offset
    return offsets
