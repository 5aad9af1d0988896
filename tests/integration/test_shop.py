"""The whole shop on a real Kafka: every stream reaches its topic as it was simulated."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaConsumer, TopicPartition

from headwater.cli.shop import refuse_a_past_behind_the_present
from headwater.errors import Refusal
from headwater.people import keyring
from headwater.shop import STREAMS, Simulation, records, simulate
from tests.streams import Log, new_log

if TYPE_CHECKING:
    from headwater.settings import Settings

FLAWS = {"out_of_order": 0.05, "late": 0.02, "repeated": 0.03, "wrong_clock": 0.02, "malformed": 0.01}


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    return new_log(instance, *STREAMS)


@pytest.fixture(scope="module")
def past(log: Log) -> Simulation:
    """Return a past that has been loaded."""
    start = datetime.now(UTC) - timedelta(hours=1)
    options: dict[str, Any] = {"seed": 8, "rate": 5, "count": 6000, "users": 100, **FLAWS}
    simulation = Simulation(start=start, suffix=log.suffix, **options)
    refuse_a_past_behind_the_present(log.settings, simulation.topics)
    assert simulate(log.settings, simulation, report=lambda line: None).sent == 6000
    return simulation


def read_by_key(log: Log, topic: str) -> dict[bytes, list[tuple[bytes | None, int]]]:
    """Return values and times of all records of a topic, by key."""
    consumer = KafkaConsumer(**log.settings.kafka_client("apps"), group_id=None, enable_auto_commit=False)
    ends = {TopicPartition(topic, partition): end for partition, end in log.ends(topic).items()}
    read: dict[bytes, list[tuple[bytes | None, int]]] = defaultdict(list)
    try:
        consumer.assign(list(ends))
        consumer.seek_to_beginning()
        while any(consumer.position(place) < end for place, end in ends.items()):
            for batch in consumer.poll(timeout_ms=1000).values():
                for record in batch:
                    read[record.key].append((record.value, record.timestamp))
    finally:
        consumer.close()
    return read


@pytest.mark.parametrize("stream", STREAMS)
def test_what_is_simulated_is_what_the_topic_holds(log: Log, past: Simulation, stream: str) -> None:
    topic = f"{stream}{log.suffix}"
    simulated: dict[bytes, list[tuple[bytes | None, int]]] = defaultdict(list)
    with keyring(log.settings) as keys:
        for record in records(past, seal=cache(keys.seal)):
            if record.topic == topic:
                simulated[record.key].append((record.value, record.received_at))
    assert simulated
    assert read_by_key(log, topic) == simulated


def test_a_past_is_refused_where_one_of_the_topics_already_holds_events(log: Log, past: Simulation) -> None:
    empty = new_log(log.settings, "logins")
    refuse_a_past_behind_the_present(log.settings, [f"logins{empty.suffix}"])
    with pytest.raises(Refusal, match="already holds events"):
        refuse_a_past_behind_the_present(log.settings, [f"logins{empty.suffix}", f"clicks{log.suffix}"])
