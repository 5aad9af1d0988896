"""Which days are due, and what the views that readers follow say of those that are held."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from headwater.batch_layer import HeldDay, Outcome, due, refuse_what_failed
from headwater.errors import Refusal
from headwater.replay.proof import Difference
from headwater.serving import in_stretches, queries

TODAY = date(2026, 11, 16)


def days(*numbers: int) -> list[date]:
    return [date(2026, 11, number) for number in numbers]


def held(*numbers: int, different: int = 0, budget: float = 0.0, served: bool = True) -> dict[date, HeldDay]:
    difference = Difference(live="speed", equal=99, different=different, budget=budget)
    made_at = datetime(2026, 11, 16, tzinfo=UTC)
    return {
        day: HeldDay(day=day, rows=100, offsets={}, difference=difference, computed_at=made_at, served=served)
        for day in days(*numbers)
    }


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({}, days(12, 13, 14, 15)),
        (held(12, 13, 14), days(15)),
        (held(12, 13, 15), days(14)),
        (held(12, 13, 14, 15), []),
        (held(10), days(11, 12, 13, 14, 15)),
        (held(12, 13, 14, 15) | held(2, different=1), days(2)),
        (held(12, 13, 14, 15) | held(2, different=1, budget=0.01), []),
        (held(12, 13, 14) | held(15, different=1, served=False), []),
    ],
    ids=[
        *("none", "yesterday", "a hole", "all", "nights without a run"),
        *("one that differs", "within budget", "withdrawn"),
    ],
)
def test_due_is_what_is_over_and_not_held_and_what_differed(
    known: dict[date, HeldDay], expected: list[date]
) -> None:
    assert due(known, TODAY) == expected


def test_days_that_follow_each_other_are_one_stretch() -> None:
    (first, second) = in_stretches(days(4, 1, 2))
    assert (first, second) == ((date(2026, 11, 1), date(2026, 11, 3)), (date(2026, 11, 4), date(2026, 11, 5)))


def test_without_days_everything_comes_from_the_speed_layer_and_no_batch_table_is_named() -> None:
    found = queries("versions.orders__v1", "batch.orders__v1", "at", [])
    assert found["serving"] == "SELECT * FROM lake.versions.orders__v1"
    assert "batch.orders__v1" not in found["batch"]


def test_a_day_comes_from_one_layer_by_the_same_words_that_keep_it_out_of_the_other() -> None:
    found = queries("versions.orders__v1", "batch.orders__v1", "at", days(14, 15))
    inside = "(at >= TIMESTAMP '2026-11-14 00:00:00 UTC' AND at < TIMESTAMP '2026-11-16 00:00:00 UTC')"
    assert found == {
        "batch": f"SELECT * FROM lake.batch.orders__v1 WHERE {inside}",
        "serving": f"SELECT * FROM lake.batch.orders__v1 WHERE {inside} "
        f"UNION ALL SELECT * FROM lake.versions.orders__v1 WHERE NOT ({inside})",
    }


def test_run_in_which_a_day_was_refused_is_refused_with_its_words() -> None:
    good = Outcome(view="orders", day="2026-11-14", done="12 rows")
    refuse_what_failed([good])
    with pytest.raises(Refusal, match="1 of 2 days could not be computed") as refused:
        refuse_what_failed([good, Outcome(view="orders", day="2026-11-15", done="lost", failed=True)])
    assert refused.value.detail == "orders 2026-11-15: lost"
