"""Every kind of bad input that the platform promises to survive; none could pass for a good event."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime

import pytest

from headwater.shop import Record, Simulation, records
from headwater.topics import load_topics

DAY = 86_400_000
FLAWED = Simulation(start=datetime(2025, 3, 3, tzinfo=UTC), count=44, malformed=1.0)


@pytest.fixture(scope="module")
def by_flaw() -> dict[str, Record]:
    return {record.flaw: record for record in records(FLAWED)}


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


def test_wrong_types_are_otherwise_good_json(by_flaw: dict[str, Record]) -> None:
    assert json.loads(value(by_flaw["text_for_time"]))["occurred_at"] == "yesterday"
    assert json.loads(value(by_flaw["number_for_text"]))["page"] == 42


def test_a_required_field_is_missing(by_flaw: dict[str, Record]) -> None:
    fields = load_topics()["page_views"].fields
    required = {name for name, field in fields.items() if not field.optional}
    assert required - json.loads(value(by_flaw["missing_field"])).keys() == {"page"}


def test_a_record_is_too_large_for_the_topic_but_not_for_kafka(
    by_flaw: dict[str, Record],
) -> None:
    size = len(value(by_flaw["too_large"]))
    assert load_topics()["page_views"].largest_event < 900_000 <= size < 1_000_000


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
