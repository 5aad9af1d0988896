"""One member of a consumer group, as a process of its own that a test can kill.

Arguments: home of the instance, topic, group, and how many records to commit. Commits that many, then goes on
reading without ever committing again, and says on its output how far it came:

    committed {"0": 20, "1": 11}
    read 100
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kafka import KafkaConsumer, OffsetAndMetadata, TopicPartition

from headwater.settings import Settings


def main(home: str, topic: str, group: str, to_commit: int) -> None:
    """Read for ever."""
    consumer = KafkaConsumer(
        topic,
        **Settings.load(Path(home)).kafka_client("apps"),
        group_id=group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        session_timeout_ms=6_000,
        heartbeat_interval_ms=1_000,
    )
    positions: dict[int, int] = {}
    for number, record in enumerate(consumer, start=1):
        positions[record.partition] = record.offset + 1
        if number == to_commit:
            commit(consumer, topic, positions)
            print("committed", json.dumps(positions), flush=True)
        elif number > to_commit:
            print("read", number, flush=True)


def commit(consumer: KafkaConsumer, topic: str, positions: dict[int, int]) -> None:
    """Store how far each partition was read."""
    consumer.commit(
        {
            TopicPartition(topic, partition): OffsetAndMetadata(position, "", -1)
            for partition, position in positions.items()
        }
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
