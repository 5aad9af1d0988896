"""How far a query is from losing records, case by case."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from headwater.retention import Margin, Partition, margin, tightest

NOW = datetime(2026, 1, 20, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
WEEK = Partition(topic="orders", partition=0, beginning=100, end=1100, size=10_000, retention=7 * DAY)


def test_time_left_is_that_of_the_first_unread_record() -> None:
    found = margin(WEEK, 600, NOW - DAY, NOW)
    assert (found.unread, found.lost, found.time_left, found.tight) == (500, 0, 6 * DAY, False)


def test_bytes_left_are_those_that_go_before() -> None:
    assert [margin(WEEK, reached, NOW, NOW).bytes_left for reached in (100, 600, 1100)] == [0, 5_000, 10_000]


def test_who_has_read_everything_is_in_no_danger_however_old_it_is() -> None:
    found = margin(WEEK, 1100, None, NOW)
    assert (found.unread, found.time_left, found.tight) == (0, None, False)


def test_what_is_kept_for_ever_is_in_no_danger() -> None:
    found = margin(replace(WEEK, retention=None), 100, NOW - 700 * DAY, NOW)
    assert (found.time_left, found.tight) == (None, False)


@pytest.mark.parametrize(
    ("age", "tight"),
    [(5 * DAY, False), (5.25 * DAY, False), (5.25 * DAY + HOUR, True), (7 * DAY, True), (8 * DAY, True)],
    ids=["two days left", "a quarter left", "less than a quarter", "nothing left", "may go at any moment"],
)
def test_it_is_tight_when_less_than_a_quarter_of_the_time_is_left(age: timedelta, tight: bool) -> None:
    assert margin(WEEK, 600, NOW - age, NOW).tight is tight


@pytest.mark.parametrize(("reached", "tight"), [(400, False), (300, True)])
def test_it_is_tight_when_the_unread_take_most_of_what_is_kept(reached: int, tight: bool) -> None:
    limited = replace(WEEK, retention=None, limit=10_000)
    assert margin(limited, reached, NOW, NOW).tight is tight


def test_what_is_gone_unread_is_lost() -> None:
    found = margin(WEEK, 40, NOW - 7 * DAY, NOW)
    assert (found.lost, found.unread, found.tight) == (60, 1000, True)
    assert str(found) == "60 records of partition 0 of orders are gone, and were not read"


def test_tightest_is_what_is_lost_then_what_is_tight_then_what_goes_first() -> None:
    calm = Margin(topic="a", partition=0)
    later, sooner = (replace(calm, topic=name, time_left=left) for name, left in (("b", 3 * DAY), ("c", DAY)))
    full = replace(calm, topic="d", tight=True)
    lost = replace(calm, topic="e", lost=1, tight=True)
    assert tightest([calm, later, sooner, full, lost]) == lost
    assert tightest([calm, later, sooner, full]) == full
    assert tightest([calm, later, sooner]) == sooner
    assert tightest([]) is None


@pytest.mark.parametrize(
    ("age", "told"),
    [
        (6 * DAY, "the first of 500 unread records of partition 0 of orders is let go in 1 day, 0:00:00"),
        (8 * DAY, "500 unread records of partition 0 of orders may be let go at any moment: only 5 kB go "
         "before them"),
    ],
)  # fmt: skip
def test_margin_says_what_is_about_to_happen(age: timedelta, told: str) -> None:
    assert str(margin(WEEK, 600, NOW - age, NOW)) == told
