"""A topic of a test's own, declared in a file that can be written again, and all that is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kafka import KafkaConsumer, TopicPartition

from headwater.shop import Simulation
from headwater.topics import Topic, load_topics
from headwater.topics.applying import apply
from headwater.topics.plan import Plan, plan

if TYPE_CHECKING:
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
