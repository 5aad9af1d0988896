"""The simulated shop: the same every time, and as wrong as asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import pytest

from headwater.errors import Refusal
from headwater.shop import Outage, Record, Simulation, records
from headwater.topics import load_topics

START = datetime(2025, 3, 3, 12, tzinfo=UTC)
START_MS = 1_741_003_200_000
MINUTE = timedelta(minutes=1)
A_MOMENT = 1000  # an event that was held back arrives with the next record
ROUGH = Simulation(
    streams=("page_views",),
    seed=7,
    rate=100,
    start=START,
    count=20_000,
    out_of_order=0.1,
    late=0.05,
    repeated=0.05,
    wrong_clock=0.05,
    malformed=0.02,
)


@pytest.fixture(scope="module")
def rough() -> list[Record]:
    return list(records(ROUGH))


def event(record: Record) -> dict[str, Any]:
    assert record.value is not None
    read: dict[str, Any] = json.loads(record.value)
    return read


def of_kind(kind: str, among: list[Record]) -> list[Record]:
    chosen = [record for record in among if record.kind == kind]
    assert chosen
    return chosen


def test_the_same_options_give_the_same_records_in_every_process() -> None:
    code = (
        "import hashlib\n"
        "from datetime import UTC, datetime\n"
        "from headwater.shop import Simulation, records\n"
        "simulation = Simulation(seed=7, start=datetime(2025, 3, 3, 12, tzinfo=UTC), count=5000, users=100,\n"
        "    late=0.1, repeated=0.2, wrong_clock=0.1, out_of_order=0.1, malformed=0.1)\n"
        "print(hashlib.sha256(repr(list(records(simulation))).encode()).hexdigest())\n"
    )
    digests = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(digests) == 1


def test_another_seed_gives_other_events(rough: list[Record]) -> None:
    others = {record.event_id for record in records(replace(ROUGH, seed=8))}
    assert not others & {record.event_id for record in rough}


def test_a_run_that_starts_later_repeats_no_id(rough: list[Record]) -> None:
    later = records(replace(ROUGH, start=START + timedelta(seconds=1)))
    assert not {record.event_id for record in later} & {record.event_id for record in rough}


def test_a_live_run_differs_only_by_its_start() -> None:
    live = Simulation(seed=7, rate=100, users=50, late=0.1)
    fixed = replace(live, start=START, count=500)
    assert list(islice(records(live, START), 500)) == list(records(fixed))


def test_shares_are_kept(rough: list[Record]) -> None:
    kinds = Counter(record.kind for record in rough)
    asked = {"out_of_order": 0.1, "late": 0.05, "repeated": 0.05, "wrong_clock": 0.05, "malformed": 0.02}
    for kind, share in asked.items():
        assert kinds[kind] / len(rough) == pytest.approx(share, rel=0.15)
    assert kinds.keys() == asked.keys() | {"plain"}


def test_records_arrive_in_order_at_the_rate(rough: list[Record]) -> None:
    assert [record.received_at for record in rough] == [START_MS + 10 * number for number in range(20_000)]


def test_a_duration_ends_the_simulation() -> None:
    minute = Simulation(start=START, rate=10, duration=MINUTE)
    arrivals = [record.received_at for record in records(minute)]
    assert len(arrivals) == 600
    assert max(arrivals) < START_MS + 60_000


def test_ids_are_unique_but_for_repeated_events(rough: list[Record]) -> None:
    assert max(Counter(record.event_id for record in rough if record.kind != "repeated").values()) == 1


def test_well_formed_events_have_exactly_the_declared_fields(rough: list[Record]) -> None:
    declared = load_topics()["page_views"].fields
    required = {name for name, field in declared.items() if not field.optional}
    python_types = {"string": str, "timestamp": int}
    for record in rough:
        if record.kind == "malformed":
            continue
        read = event(record)
        assert required <= read.keys() <= declared.keys()
        assert all(type(value) is python_types[declared[name].type] for name, value in read.items())
        assert read["user_id"].encode() == record.key
        assert read["event_id"] == record.event_id


def test_the_three_times_tell_when_it_happened(rough: list[Record]) -> None:
    for record in rough:
        if record.kind not in {"malformed", "repeated"}:
            read = event(record)
            assert read["occurred_at"] + record.received_at - read["sent_at"] == record.happened_at


def test_plain_events_have_just_happened(rough: list[Record]) -> None:
    assert all(record.happened_at == record.received_at for record in of_kind("plain", rough))


def test_out_of_order_events_come_some_seconds_after_they_happened(rough: list[Record]) -> None:
    delays = [record.received_at - record.happened_at for record in of_kind("out_of_order", rough)]
    assert min(delays) > 0
    assert 10_000 < max(delays) <= 30_000 + A_MOMENT


def test_late_events_come_after_the_lateness(rough: list[Record]) -> None:
    delays = [record.received_at - record.happened_at for record in of_kind("late", rough)]
    assert min(delays) > 600_000
    assert 3_600_000 < max(delays) <= 6 * 3_600_000 + A_MOMENT


def test_wrong_clocks_are_ahead_and_behind_by_minutes_or_hours(rough: list[Record]) -> None:
    errors = [event(record)["sent_at"] - record.received_at for record in of_kind("wrong_clock", rough)]
    assert any(error > 3_600_000 for error in errors)
    assert any(error < -3_600_000 for error in errors)
    assert all(100_000 < abs(error) < 7 * 3_600_000 for error in errors)


def test_repeated_events_are_copies_or_sent_again_some_seconds_later(rough: list[Record]) -> None:
    originals = {record.event_id: record for record in rough if record.kind == "plain"}
    identical = []
    for record in of_kind("repeated", rough):
        original = originals[record.event_id]
        assert record.key == original.key
        assert 0 < record.received_at - original.received_at < 60_000
        identical.append(record.value == original.value)
        if not identical[-1]:
            changed = event(record)
            assert changed.pop("sent_at") != (first := event(original)).pop("sent_at")
            assert changed == first
    assert sum(identical) == pytest.approx(len(identical) / 2, abs=1)


def test_some_people_come_far_more_often_than_others(rough: list[Record]) -> None:
    visits = Counter(record.key for record in rough)
    assert visits[b"user-0001"] > 20 * visits[b"user-0100"] > 0
    assert len(visits) > 900
    assert len({event(record)["page"] for record in of_kind("plain", rough)}) == 50


def test_every_record_goes_to_the_partition_asked_for() -> None:
    skewed = Simulation(start=START, count=10, partition=2)
    assert {record.partition for record in records(skewed)} == {2}


def test_an_outage_holds_events_back_and_lets_them_go_in_one_burst() -> None:
    #   arrivals   |||||||||..........#|||||||||        # = everything that happened during the outage
    #   minutes    0        2         4        6
    outage = Outage(2 * MINUTE, 2 * MINUTE)
    views = Simulation(streams=("page_views",), start=START, rate=10, duration=6 * MINUTE, outage=outage)
    run = list(records(views))
    held = of_kind("held", run)
    assert len(run) == 3600
    assert {record.received_at for record in held} == {START_MS + 240_000}
    assert [record.happened_at for record in held] == [START_MS + t for t in range(120_000, 240_000, 100)]
    assert [record.received_at for record in run] == sorted(record.received_at for record in run)
    for record in held:
        read = event(record)
        assert read["occurred_at"] < read["sent_at"] < record.received_at
        assert read["occurred_at"] + record.received_at - read["sent_at"] == record.happened_at


def test_an_outage_of_devices_does_not_stop_changelogs() -> None:
    outage = Outage(2 * MINUTE, 2 * MINUTE)
    run = list(records(Simulation(start=START, rate=10, duration=6 * MINUTE, outage=outage)))
    assert [record.received_at for record in run] == sorted(record.received_at for record in run)
    meanwhile = [record for record in run if 120_000 < record.received_at - START_MS < 240_000]
    assert {record.topic for record in meanwhile} == {"user_changelog", "stored_queries"}
    assert all(record.happened_at == record.received_at for record in meanwhile)


@pytest.mark.parametrize(
    "options",
    [
        {"streams": ("page_vews",)},
        {"streams": ()},
        {"streams": ("logins", "logins")},
        {"suffix": "-test"},
        {"late": 1.5},
        {"late": -0.1},
        {"late": float("nan")},
        {"late": 0.6, "repeated": 0.6},
        {"rate": 0},
        {"rate": float("inf")},
        {"rate": float("nan")},
        {"count": 0},
        {"users": 0},
        {"partition": -1},
        {"flaws": ("boredom",)},
        {"malformed": 0.1, "flaws": ()},
        {"duration": timedelta(0)},
        {"start": datetime(2025, 3, 3), "count": 1},  # noqa: DTZ001 -- that is the mistake
        {"start": START},
        {"latest": timedelta(hours=30)},
        {"lateness": timedelta(hours=8)},
        {"outage": Outage(timedelta(minutes=-1), timedelta(minutes=1))},
        {"outage": Outage(timedelta(minutes=1), timedelta(0))},
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(Refusal):
        Simulation(**options)


def test_a_live_simulation_cannot_be_generated_without_a_time() -> None:
    with pytest.raises(Refusal):
        records(Simulation())
