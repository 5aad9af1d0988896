"""Stretches of time: which windows lie wholly inside, which days they touch, what is left beside another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from headwater.replay.between import MOMENT, Between

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def between(first: float, after: float) -> Between:
    """Return a stretch in hours after noon."""
    return Between(first=NOON + timedelta(hours=first), after=NOON + timedelta(hours=after))


def test_window_lies_wholly_inside_if_it_ends_with_the_stretch() -> None:
    starts = between(0, 2).starts_of(timedelta(hours=1))
    assert (starts.first, starts.after) == (NOON, NOON + timedelta(hours=1) + MOMENT)
    assert between(0, 0.5).starts_of(timedelta(hours=1)).empty


def test_row_about_a_moment_lies_inside_before_the_end() -> None:
    assert between(0, 1).starts_of(timedelta(0)).after == NOON + timedelta(hours=1)


@pytest.mark.parametrize(
    ("hours", "days"), [((0, 1), 1), ((0, 12), 1), ((0, 12.5), 2), ((-13, 13), 3), ((1, 1), 0)]
)
def test_days_are_those_that_it_touches(hours: tuple[float, float], days: int) -> None:
    assert between(*hours).days == days


@pytest.mark.parametrize(
    ("other", "left"),
    [
        ((-2, -1), [(0, 4)]),
        ((-1, 1), [(1, 4)]),
        ((1, 2), [(0, 1), (2, 4)]),
        ((3, 9), [(0, 3)]),
        ((-1, 9), []),
    ],
)
def test_what_is_left_beside_another(other: tuple[int, int], left: list[tuple[int, int]]) -> None:
    assert list(between(0, 4).without(between(*other))) == [between(*one) for one in left]
