"""Tombstones: records without a value, by which compaction forgets all that was said under a key before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka import KafkaProducer

from headwater.topics import load_topics

if TYPE_CHECKING:
    from headwater.settings import Settings

ROLE = "control"
ANSWER_SECONDS = 60


def write_tombstones(settings: Settings, person: str) -> list[str]:
    """Write one to each changelog in which the person is the key; return which. Another one does no harm.

    The capture tells of deleted rows by itself, but a past that was loaded straight into the log has none.
    """
    keyed = [topic.name for topic in load_topics().values() if topic.personal and topic.key == topic.person]
    producer = KafkaProducer(**settings.kafka_client(ROLE), acks="all", enable_idempotence=True)
    try:
        for answer in [producer.send(topic, key=person.encode(), value=None) for topic in keyed]:
            answer.get(timeout=ANSWER_SECONDS)
    finally:
        producer.close(timeout=ANSWER_SECONDS)
    return keyed
