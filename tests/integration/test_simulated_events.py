"""Events of the simulator on a real Kafka: in order by key, in the right partition, with their times."""

from __future__ import annotations

import signal
import subprocess
import sys
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from headwater.errors import Refusal
from headwater.shop import Simulation, records, simulate
from tests.declared_topics import read_all
from tests.waiting import wait_for

if TYPE_CHECKING:
    from headwater.settings import Settings
    from tests.declared_topics import Declared


@pytest.mark.parametrize("way", ["loaded", "live"])
def test_events_of_a_key_stay_in_one_partition_in_order(declared: Declared, way: str) -> None:
    declared.apply()
    start = datetime.now(UTC) - timedelta(seconds=30)
    simulation = declared.simulation(
        seed=11, rate=200, start=start, count=600, users=40, malformed=0.05, repeated=0.1
    )
    if way == "live":
        simulation = replace(simulation, start=None)
    counts = simulate(declared.settings, simulation, report=lambda line: None)
    assert counts.sent == 600

    partition_of: dict[bytes, int] = {}
    read_by_key: dict[bytes, list[bytes | None]] = {}
    for partition, batch in read_all(declared.settings, declared.name).items():
        for record in batch:
            assert partition_of.setdefault(record.key, partition) == partition
            read_by_key.setdefault(record.key, []).append(record.value)
    assert len(set(partition_of.values())) == 3
    assert sum(len(values) for values in read_by_key.values()) == 600
    if way == "loaded":
        sent_by_key: dict[bytes, list[bytes | None]] = {}
        for sent in records(simulation):
            sent_by_key.setdefault(sent.key, []).append(sent.value)
        assert read_by_key == sent_by_key


def test_both_ways_of_sending_choose_the_same_partition_for_a_key(declared: Declared) -> None:
    declared.apply()
    live = declared.simulation(seed=3, rate=500, count=300, users=60)
    simulate(declared.settings, live, report=lambda line: None)
    loaded = replace(live, start=datetime.now(UTC))
    simulate(declared.settings, loaded, report=lambda line: None)
    places: dict[bytes, set[int]] = {}
    for partition, batch in read_all(declared.settings, declared.name).items():
        for record in batch:
            places.setdefault(record.key, set()).add(partition)
    assert len(places) > 30
    assert all(len(partitions) == 1 for partitions in places.values())


def test_the_record_timestamp_is_when_the_event_was_received(declared: Declared) -> None:
    declared.apply()
    start = datetime.now(UTC) - timedelta(days=2)
    simulation = declared.simulation(rate=1, start=start, count=100)
    simulate(declared.settings, simulation, report=lambda line: None)
    batches = read_all(declared.settings, declared.name).values()
    read = [record.timestamp for batch in batches for record in batch]
    first = round(start.timestamp() * 1000)
    assert sorted(read) == [first + 1000 * number for number in range(100)]


def test_a_partition_asked_for_gets_everything(declared: Declared) -> None:
    declared.apply()
    skewed = declared.simulation(start=datetime.now(UTC), count=50, partition=1)
    simulate(declared.settings, skewed, report=lambda line: None)
    read = read_all(declared.settings, declared.name)
    assert {partition: len(batch) for partition, batch in read.items()} == {0: 0, 1: 50, 2: 0}


@pytest.mark.parametrize("start", [None, datetime.now(UTC)], ids=["live", "loaded"])
def test_a_partition_that_is_not_there_is_refused(declared: Declared, start: datetime | None) -> None:
    declared.apply()
    beyond = declared.simulation(start=start, count=1, partition=3)
    with pytest.raises(Refusal, match="has no partition 3"):
        simulate(declared.settings, beyond, report=lambda line: None)


def test_a_simulation_ends_cleanly_on_sigterm(declared: Declared) -> None:
    declared.apply()
    code = (
        "from pathlib import Path; import sys\n"
        "from headwater.settings import Settings\n"
        "from headwater.shop import Simulation, simulate\n"
        "simulation = Simulation(streams=('page_views',), suffix=sys.argv[2], rate=200)\n"
        "print('starting', flush=True)\n"
        "print('sent', simulate(Settings.load(Path(sys.argv[1])), simulation).sent)\n"
    )
    command = [sys.executable, "-c", code, declared.settings.home, declared.suffix]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            wait_for("the first event", lambda: count_of(declared) > 0)
            process.send_signal(signal.SIGTERM)
            said, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0
    assert said.splitlines()[-1] == f"sent {count_of(declared)}"


def count_of(declared: Declared) -> int:
    return sum(len(batch) for batch in read_all(declared.settings, declared.name).values())


def test_a_simulation_for_a_topic_that_is_not_there_is_refused(instance: Settings) -> None:
    nowhere = Simulation(suffix=f"_{uuid.uuid4().hex[:12]}", start=datetime.now(UTC), count=1)
    with pytest.raises(Refusal, match="could not be sent"):
        simulate(instance, nowhere, report=lambda line: None)
