"""Reading what the topic `alerts` holds."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from kafka import KafkaConsumer, TopicPartition

from headwater import alarms

if TYPE_CHECKING:
    from headwater.settings import Settings


def alerts_about(settings: Settings, *subjects: str) -> list[dict[str, Any]]:
    """Return what the topic tells of these subjects, oldest first."""
    return [alert for alert in _alerts(settings) if alert["subject"] in subjects]


def _alerts(settings: Settings) -> list[dict[str, Any]]:
    place = TopicPartition(alarms.TOPIC, 0)
    consumer = KafkaConsumer(**settings.kafka_client("console"), enable_auto_commit=False)
    try:
        consumer.assign([place])
        consumer.seek_to_beginning(place)
        end = consumer.end_offsets([place])[place]
        found: list[dict[str, Any]] = []
        deadline = time.monotonic() + 30
        while consumer.position(place) < end and time.monotonic() < deadline:
            found += [json.loads(record.value) for record in consumer.poll(1000).get(place, [])]
    finally:
        consumer.close()
    return found
