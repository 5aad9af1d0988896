"""Every kind of bad input that the platform promises to survive; none could pass for a good event."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from headwater.shop import STREAMS, Record, Simulation, records
from headwater.topics import load_topics

if TYPE_CHECKING:
    from headwater.topics import Topic

DAY = 86_400_000
TOPICS = {name: topic for name, topic in load_topics().items() if name in STREAMS}
EVENT_TOPICS = [topic for topic in TOPICS.values() if topic.cleanup == "delete"]
CHANGELOGS = [topic for topic in TOPICS.values() if topic.cleanup == "compact"]
FLAWED = Simulation(streams=("page_views",), start=datetime(2025, 3, 3, tzinfo=UTC), count=44, malformed=1.0)
SPOILT_TEXTS = {
    "cart_commands": "user_id",
    "clicks": "impression_id",
    "impressions": "impression_id",
    "listings": "title",
    "logins": "country",
    "page_views": "page",
    "purchases": "order_id",
    "requests": "endpoint",
    "result_clicks": "search_id",
    "searches": "search_id",
}


@pytest.fixture(scope="module", params=EVENT_TOPICS, ids=lambda topic: topic.name)
def topic(request: pytest.FixtureRequest) -> Topic:
    chosen: Topic = request.param
    return chosen


@pytest.fixture(scope="module")
def by_flaw(topic: Topic) -> dict[str, Record]:
    simulation = Simulation(streams=(topic.name,), start=FLAWED.start, count=11, malformed=1.0)
    return {record.flaw: record for record in records(simulation)}


def value(record: Record) -> bytes:
    assert record.value is not None
    return record.value


def test_the_flaws_take_turns() -> None:
    assert set(Counter(record.flaw for record in records(FLAWED)).values()) == {4}


def test_only_the_flaws_asked_for_are_made() -> None:
    few = Simulation(start=FLAWED.start, count=10, malformed=1.0, flaws=("null", "nan"))
    assert {record.flaw for record in records(few)} == {"null", "nan"}


def test_broken_json_cannot_be_read(by_flaw: dict[str, Record]) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(value(by_flaw["broken_json"]))


def test_wrong_types_are_otherwise_good_json(by_flaw: dict[str, Record], topic: Topic) -> None:
    assert json.loads(value(by_flaw["text_for_time"]))["occurred_at"] == "yesterday"
    assert json.loads(value(by_flaw["number_for_text"]))[SPOILT_TEXTS[topic.name]] == 42


def test_a_required_field_is_missing(by_flaw: dict[str, Record], topic: Topic) -> None:
    required = {name for name, field in topic.fields.items() if not field.optional}
    missing = required - json.loads(value(by_flaw["missing_field"])).keys()
    assert missing == {SPOILT_TEXTS[topic.name]}


def test_a_record_is_too_large_for_the_topic_but_not_for_kafka(
    by_flaw: dict[str, Record], topic: Topic
) -> None:
    size = len(value(by_flaw["too_large"]))
    assert topic.largest_event < 900_000 <= size < 1_000_000


def test_null_and_empty_are_two_things(by_flaw: dict[str, Record]) -> None:
    assert by_flaw["null"].value is None
    assert by_flaw["empty"].value == b""


def test_invalid_utf8_cannot_be_decoded(by_flaw: dict[str, Record]) -> None:
    with pytest.raises(UnicodeDecodeError):
        value(by_flaw["invalid_utf8"]).decode()


def test_nan_stands_where_a_time_should(by_flaw: dict[str, Record]) -> None:
    assert b'"occurred_at":NaN' in value(by_flaw["nan"])


def test_times_ahead_stay_ahead_after_the_clock_is_corrected(by_flaw: dict[str, Record]) -> None:
    for flaw, ahead in {"future": DAY, "year_9999": 7000 * 365 * DAY}.items():
        record, read = by_flaw[flaw], json.loads(value(by_flaw[flaw]))
        assert read["occurred_at"] - read["sent_at"] > ahead
        assert abs(read["sent_at"] - record.received_at) < 1000


@pytest.mark.parametrize("topic", CHANGELOGS, ids=lambda topic: topic.name)
def test_of_a_changelog_only_the_json_can_be_broken(topic: Topic) -> None:
    rough = {"out_of_order": 0.2, "late": 0.2, "repeated": 0.2, "wrong_clock": 0.2, "malformed": 0.2}
    simulation = Simulation(streams=(topic.name,), start=FLAWED.start, count=1000, **rough)  # type: ignore[arg-type]
    run = list(records(simulation))
    assert {(record.kind, record.flaw) for record in run} == {("plain", ""), ("malformed", "broken_json")}
    assert all(record.happened_at == record.received_at for record in run)
    for record in run:
        if record.kind == "malformed":
            with pytest.raises(json.JSONDecodeError):
                json.loads(value(record))
