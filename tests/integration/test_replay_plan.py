"""Where a replay starts, on a real log: times and offsets against what the log still holds."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from kafka import TopicPartition

from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.replay.starting import Stretch, resolve, seam
from headwater.shop import Simulation
from tests.streams import new_log

if TYPE_CHECKING:
    from headwater.settings import Settings
    from tests.streams import Log

MINUTE = timedelta(minutes=1)
BEGINNING = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(hours=1)
EXPIRED = 20


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    """Return ten minutes of a log, of which partition 1 has lost its first records."""
    log = new_log(instance)
    log.load(Simulation(seed=3, start=BEGINNING, rate=1, count=600, out_of_order=0, late=0))
    with admin_client(instance, "admin") as client:
        client.delete_records({TopicPartition(log.topic.name, 1): EXPIRED})
    return log


def stretches(log: Log, start: str) -> dict[int, Stretch]:
    with admin_client(log.settings, "apps") as client:
        return {found.partition: found for found in resolve(log.settings, client, [log.topic.name], start)}


def refusals(log: Log, start: str) -> list[str]:
    return [found.refusal for found in stretches(log, start).values() if found.refusal]


def test_earliest_is_what_the_log_still_holds(log: Log) -> None:
    found = stretches(log, "earliest")
    assert [found[partition].asked for partition in sorted(found)] == [0, EXPIRED, 0]
    assert {partition: part.end for partition, part in found.items()} == log.ends()
    assert refusals(log, "earliest") == []


def test_windows_are_whole_from_the_first_record_on_unless_some_have_expired(log: Log) -> None:
    held = list(stretches(log, "earliest").values())
    whole_from = seam(log.settings, "earliest", held, MINUTE)
    assert whole_from is not None
    assert BEGINNING < whole_from < BEGINNING + timedelta(minutes=4)
    never_expired = [replace(part, asked=0, beginning=0) for part in held]
    assert seam(log.settings, "earliest", never_expired, MINUTE) is None


def test_time_is_the_first_record_received_at_it_or_later(log: Log) -> None:
    start = (BEGINNING + timedelta(minutes=5, seconds=1)).isoformat()
    found = stretches(log, start)
    assert all(0 < part.asked < part.end for part in found.values())
    assert 250 < sum(part.events for part in found.values()) < 350
    assert seam(log.settings, start, list(found.values()), MINUTE) == BEGINNING + timedelta(
        minutes=6, seconds=1
    )


def test_time_after_the_last_record_is_the_end_of_the_log(log: Log) -> None:
    found = stretches(log, datetime.now(UTC).isoformat())
    assert {partition: part.asked for partition, part in found.items()} == log.ends()


def test_time_before_the_log_is_its_beginning(log: Log) -> None:
    start = (BEGINNING - timedelta(days=1)).isoformat()
    found = stretches(log, start)
    assert [found[partition].asked for partition in sorted(found)] == [0, EXPIRED, 0]
    # What has expired was received after that time, too: windows are whole only from the rest on.
    whole_from = seam(log.settings, start, list(found.values()), MINUTE)
    assert whole_from == seam(log.settings, "earliest", list(found.values()), MINUTE)


def test_offsets_are_taken_as_they_are_and_windows_begin_after_them(log: Log) -> None:
    middle = {str(partition): end // 2 for partition, end in log.ends().items()}
    found = stretches(log, json.dumps(middle))
    assert {str(partition): part.asked for partition, part in found.items()} == middle
    whole_from = seam(log.settings, json.dumps(middle), list(found.values()), MINUTE)
    assert whole_from is not None
    assert BEGINNING + timedelta(minutes=4) <= whole_from <= BEGINNING + timedelta(minutes=8)
    assert stretches(log, json.dumps({log.topic.name: middle})) == found


def test_expired_offsets_are_named(log: Log) -> None:
    assert refusals(log, '{"0": 0, "1": 7, "2": 0}') == [
        f"Offsets 7 to {EXPIRED - 1} of partition 1 of {log.topic.name} have expired, "
        "and the cold log does not hold them."
    ]


def test_offsets_that_do_not_exist_yet_are_named(log: Log) -> None:
    end = log.ends()[0]
    assert refusals(log, json.dumps({"0": end + 1, "1": EXPIRED, "2": 0})) == [
        f"Partition 0 of {log.topic.name} ends at offset {end}; {end + 1} does not exist yet."
    ]


@pytest.mark.parametrize("start", ['{"0": 0}', '{"0": 0, "1": 20, "2": 0, "3": 0}'])
def test_offsets_must_name_every_partition(log: Log, start: str) -> None:
    with pytest.raises(Refusal, match="do not name the partitions"):
        stretches(log, start)


def test_offsets_of_another_topic_are_refused(log: Log) -> None:
    with pytest.raises(Refusal, match="do not name the topics"):
        stretches(log, '{"orders": {"0": 0}}')
