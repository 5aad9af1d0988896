"""What a replay's form refuses, whoever fills it in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from headwater.errors import Refusal
from headwater.replay.request import ReplayRequest, time_in

VIEW = "page_views_per_minute"
NONSENSE = [
    "",
    "yesterday",
    "'; DROP TABLE versions; --",
    "$(id)",
    "earliest; rm -rf /",
    "earliest\nnow",
    "../../etc/passwd",
    "{{ conn.spark }}",
    "2026-01-31",
    "2026-01-31T12:00:00",  # without a zone
    "{}",
    '{"0": -1}',
    '{"0": 1.5}',
    '{"0": true}',
    '{"0": "7"}',
    '{"zero": 7}',
    '{"0": 99999999999999999999}',
    '{"page_views": {}}',
    '{"page_views": {"0": null}}',
    "[1, 2]",
    "{" * 5000,
    "１２",
]


@pytest.mark.parametrize(
    "start",
    ["earliest", " earliest ", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00+02:00", '{"0": 7, "1": 0}'],
)
def test_start_that_makes_sense(start: str) -> None:
    assert ReplayRequest.check({"view": VIEW, "start": start}).start == start.strip()


def test_offsets_may_name_their_topics() -> None:
    start = '{"page_views": {"0": 7}, "orders": {"0": 0}}'
    assert ReplayRequest.check({"view": VIEW, "start": start}).start == start


@pytest.mark.parametrize("start", NONSENSE)
def test_start_that_makes_no_sense_is_refused(start: str) -> None:
    with pytest.raises(Refusal) as refused:
        ReplayRequest.check({"view": VIEW, "start": start})
    assert refused.value.detail.startswith('"start": ')
    assert "earliest" in refused.value.hint


@pytest.mark.parametrize("view", ["", "Page", "a b", "a;b", "../a", "a'b", "{{a}}", "$(a)", "a\n", "x" * 70])
def test_view_that_cannot_be_one_is_refused(view: str) -> None:
    with pytest.raises(Refusal, match="could not be accepted") as refused:
        ReplayRequest.check({"view": view})
    assert refused.value.detail.startswith('"view": ')


@pytest.mark.parametrize(
    "artifact", ["", "latest", "0a1b", "../0a1b2c3d4e5f607", "0A1B2C3D4E5F6071", "current\n"]
)
def test_artifact_that_cannot_be_one_is_refused(artifact: str) -> None:
    with pytest.raises(Refusal) as refused:
        ReplayRequest.check({"view": VIEW, "artifact": artifact})
    assert refused.value.detail.startswith('"artifact": ')


@pytest.mark.parametrize("field", ["dry_run", "approval"])
def test_a_choice_is_yes_or_no(field: str) -> None:
    with pytest.raises(Refusal) as refused:
        ReplayRequest.check({"view": VIEW, field: "false"})
    assert refused.value.detail.startswith(f'"{field}": ')


def test_every_wrong_field_is_named_at_once() -> None:
    with pytest.raises(Refusal) as refused:
        ReplayRequest.check({"view": "A", "start": "B", "artifact": "C", "extra": 1})
    for field in ("view", "start", "artifact", "extra"):
        assert f'"{field}": ' in refused.value.detail


def test_replaces_nothing_unless_told_so() -> None:
    request = ReplayRequest.check({"view": VIEW})
    assert (request.start, request.artifact, request.dry_run, request.approval) == (
        "earliest",
        "current",
        True,
        True,
    )


def backfill(**fields: object) -> ReplayRequest:
    between = {"start": "2026-01-31T12:00:00Z", "until": "2026-01-31T14:00:00Z"}
    return ReplayRequest.check({"view": VIEW, "kind": "backfill", **between, **fields})


@pytest.mark.parametrize(
    ("start", "until"),
    [
        ("2026-01-31T12:00:00Z", " 2026-01-31T15:00:00+02:00 "),
        ('{"0": 7, "1": 0}', '{"1": 0, "0": 9}'),
        ('{"page_views": {"0": 7}}', '{"page_views": {"0": 8}}'),
    ],
)
def test_backfill_lies_between_two_places_of_a_kind(start: str, until: str) -> None:
    request = backfill(start=start, until=until, lateness=120)
    assert (request.start, request.until) == (start, until.strip())
    assert request.own_lateness == timedelta(hours=2)


@pytest.mark.parametrize(
    ("fields", "wrong", "words"),
    [
        ({"until": None}, "until", "is no end of a backfill"),
        ({"start": "earliest"}, "start", "is no beginning of a backfill"),
        ({"until": "2026-01-31T12:00:00Z"}, "until", "is not after the start"),
        ({"until": "2026-01-31T12:30:00+01:00"}, "until", "is not after the start"),
        ({"until": '{"0": 9}'}, "until", "is of another kind than the start"),
        ({"start": '{"0": 9}'}, "until", "is of another kind than the start"),
        ({"start": '{"0": 9}', "until": '{"0": 9}'}, "until", "is not after the start"),
        ({"start": '{"0": 9, "1": 9}', "until": '{"0": 10, "1": 8}'}, "until", "is not after the start"),
        ({"start": '{"0": 9}', "until": '{"1": 10}'}, "until", "does not name the same partitions"),
        ({"lateness": 0}, "lateness", ""),
        ({"lateness": 1441}, "lateness", ""),
        ({"lateness": "120"}, "lateness", ""),
        ({"artifact": "0a1b2c3d4e5f6071"}, "artifact", "a backfill runs the code as it is now"),
        ({"kind": "rebuild"}, "until", "is for a backfill"),
        ({"kind": "rebuild", "until": None, "lateness": 5}, "lateness", "is for a backfill"),
        ({"kind": "delete"}, "kind", ""),
    ],
)
def test_backfill_that_makes_no_sense_is_refused_in_words(
    fields: dict[str, object], wrong: str, words: str
) -> None:
    with pytest.raises(Refusal) as refused:
        backfill(**fields)
    assert f'"{wrong}": ' in refused.value.detail
    assert words in refused.value.detail


@pytest.mark.parametrize("until", NONSENSE)
def test_end_that_makes_no_sense_is_refused(until: str) -> None:
    with pytest.raises(Refusal) as refused:
        backfill(until=until)
    assert refused.value.detail.startswith('"until": ')


def test_time_is_read_with_its_zone() -> None:
    assert time_in("2026-01-31T12:00:00+02:00") == datetime(2026, 1, 31, 10, tzinfo=UTC)
