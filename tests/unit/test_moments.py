"""A view as it was: which snapshot answers for a time, and for an offset."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyiceberg.table.snapshots import Operation, Snapshot, Summary

from headwater.errors import Refusal
from headwater.time_travel import Moment, Place, at_offset, at_time, moments

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def moment(number: int, reached: int) -> Moment:
    return Moment(
        snapshot=number,
        committed_at=NOON + timedelta(minutes=number),
        offsets={"page_views": {"0": reached, "1": 10 * reached}},
    )


def commit(number: int, parent: int | None, **told: str) -> Snapshot:
    """Return a snapshot as Iceberg keeps it."""
    return Snapshot(
        **{"snapshot-id": number, "parent-snapshot-id": parent, "timestamp-ms": number},
        manifest_list="nowhere",
        summary=Summary(Operation.APPEND, **{f"headwater.{name}": value for name, value in told.items()}),
    )


def test_commit_of_a_backfill_has_read_as_far_as_the_batch_before_it() -> None:
    reached = [json.dumps({"page_views": {"0": offset}}) for offset in (100, 200)]
    history = [
        commit(1, None, batch="0", offsets=reached[0]),
        commit(2, 1, backfill="{}"),
        commit(3, 2, batch="1", offsets=reached[1]),
    ]
    table = SimpleNamespace(snapshots=lambda: history, current_snapshot=lambda: history[-1])
    found = moments(cast("Any", table))
    assert [moment.offsets["page_views"]["0"] for moment in found] == [100, 100, 200]
    assert at_offset(found, Place.read("page_views:0:150")).snapshot == 2, "as readers saw it, backfilled"


HISTORY = [moment(1, 100), moment(2, 200), moment(3, 200), moment(4, 300)]


@pytest.mark.parametrize(("minutes", "snapshot"), [(1, 1), (1.9, 1), (2, 2), (99, 4)])
def test_time_is_answered_by_the_newest_snapshot_before_it(minutes: float, snapshot: int) -> None:
    assert at_time(HISTORY, NOON + timedelta(minutes=minutes)).snapshot == snapshot


@pytest.mark.parametrize(("place", "snapshot"), [("0:100", 1), ("0:299", 3), ("0:300", 4), ("1:2000", 3)])
def test_offset_is_answered_by_the_newest_snapshot_that_had_not_read_it(place: str, snapshot: int) -> None:
    assert at_offset(HISTORY, Place.read(f"page_views:{place}")).snapshot == snapshot


def test_what_was_before_the_first_snapshot_is_not_known() -> None:
    with pytest.raises(Refusal, match="nothing is known of the view at"):
        at_time(HISTORY, NOON)
    with pytest.raises(Refusal, match="before offset 99 of page_views"):
        at_offset(HISTORY, Place.read("page_views:0:99"))


def test_place_that_the_view_does_not_read_is_refused() -> None:
    with pytest.raises(Refusal, match="does not read partition 7 of page_views"):
        at_offset(HISTORY, Place.read("page_views:7:1"))
    with pytest.raises(Refusal, match="does not read partition 0 of logins"):
        at_offset(HISTORY, Place.read("logins:0:1"))


@pytest.mark.parametrize("text", ["", "page_views", "page_views:0", "page_views:0:-1", "a b:0:1", "x:1:2:3"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(Refusal, match="no place in the log"):
        Place.read(text)
