"""The streams of the shop: what they send fits what the topics declare, in the shares that are documented."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime

import pytest

from headwater.shop import STREAMS, Record, Simulation, records, simulation
from headwater.topics import load_topics

START = datetime(2025, 3, 3, 12, tzinfo=UTC)
DECLARED = {name: topic for name, topic in load_topics().items() if "simulator" in topic.written_by}
PYTHON_TYPES = {"string": str, "timestamp": int, "long": int, "double": float, "boolean": bool}


@pytest.fixture(scope="module")
def day() -> list[Record]:
    return list(records(Simulation(seed=3, rate=10, users=500, start=START, count=60_000)))


def test_there_is_a_stream_for_every_topic_that_the_simulator_writes() -> None:
    assert STREAMS.keys() == DECLARED.keys()
    changelogs = {name for name, topic in DECLARED.items() if topic.cleanup == "compact"}
    assert {name for name, stream in STREAMS.items() if stream.changelog} == changelogs


@pytest.mark.parametrize("name", STREAMS)
def test_events_have_exactly_the_declared_fields(name: str, day: list[Record]) -> None:
    topic = DECLARED[name]
    required = {field for field, declared in topic.fields.items() if not declared.optional}
    seen: set[str] = set()
    for record in (record for record in day if record.topic == name):
        if record.value is None:
            assert topic.cleanup == "compact"
            continue
        read = json.loads(record.value)
        assert required <= read.keys() <= topic.fields.keys()
        assert all(type(value) is PYTHON_TYPES[topic.fields[field].type] for field, value in read.items())
        assert read[topic.key].encode() == record.key
        assert read.get("event_id", "") == record.event_id
        seen |= read.keys()
    assert seen == topic.fields.keys()


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_alone_gets_the_whole_rate(name: str) -> None:
    alone = Simulation(streams=(name,), start=START, rate=20, count=500, suffix="_test")
    run = list(records(alone))
    assert {record.topic for record in run} == {f"{name}_test"} == set(alone.topics)
    assert [record.received_at - run[0].received_at for record in run] == list(range(0, 25_000, 50))


def test_shares_of_the_streams_are_as_documented(day: list[Record]) -> None:
    settled = Counter(record.topic for record in day[5_000:])
    assert sum(stream.weight for stream in STREAMS.values()) == 1000
    for name, stream in STREAMS.items():
        assert settled[name] / settled.total() == pytest.approx(stream.weight / 1000, rel=0.15)
        assert re.search(rf"\b{name} +{stream.weight}\b", simulation.__doc__ or "")


@pytest.mark.parametrize("rate", [1, 300])
def test_shares_hold_at_every_rate(rate: int) -> None:
    chosen = ("page_views", "requests", "logins", "purchases")
    some = Simulation(streams=chosen, rate=rate, start=START, users=300, count=20_000)
    sent = Counter(record.topic for record in records(some))
    total = sum(STREAMS[name].weight for name in chosen)
    for name in chosen:
        assert sent[name] / sent.total() == pytest.approx(STREAMS[name].weight / total, rel=0.15)


def test_streams_that_are_not_asked_for_are_not_sent() -> None:
    few = Simulation(streams=("impressions", "logins"), rate=10, start=START, count=5000, late=0.1)
    assert {record.topic for record in records(few)} == {"impressions", "logins"}


def test_every_stream_of_events_suffers_from_everything_and_changelogs_only_from_broken_json() -> None:
    flaws = {"out_of_order": 0.1, "late": 0.1, "repeated": 0.1, "wrong_clock": 0.1, "malformed": 0.1}
    often = ("broken_json", "nan")
    rough = Simulation(rate=10, users=50, start=START, count=25_000, flaws=often, **flaws)  # type: ignore[arg-type]
    kinds = {(record.topic, record.kind) for record in records(rough)}
    for name, stream in STREAMS.items():
        expected = ("plain", "malformed") if stream.changelog else ("plain", *flaws)
        assert {kind for topic, kind in kinds if topic == name} == set(expected)
