"""A soak that judges nothing would pass on any machine: everything that can go wrong must be told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.steadiness import Look, Soak, faults, figures

if TYPE_CHECKING:
    from collections.abc import Callable

LOOKS, MINUTES = 30, 15
RATES = {"events": 10.0, "changed rows": 1.0}
QUICK, SLOW, SERVICE = "visits.v1", "visits.v1.late.page_views", "notifier"
LAG = {QUICK: 20, SLOW: 80, SERVICE: 0}


def steady(number: int, **changed: Any) -> Look:
    """Return a look at a platform that is well: lag and age go up and down between batches."""
    minute, saw = number * MINUTES / (LOOKS - 1), number % 5
    seen = Look(
        minute=minute,
        states={QUICK: "live", SLOW: "live"},
        lag={QUICK: 10 * saw, SLOW: 40 * saw, SERVICE: 0},
        behind={QUICK: 1.0 * saw, SLOW: 4.0 * saw},
        counts={what: int(minute * 60 * rate) for what, rate in RATES.items()},
        memory=7.0 + saw / 100,
        cores=1.0,
    )
    return replace(seen, **changed)


def soaked(**changed: Any) -> Soak:
    soak = Soak(
        minutes=MINUTES,
        rates=RATES,
        queries={QUICK: 10.0, SLOW: 120.0},
        services={SERVICE: 5.0},
        looks=[steady(number) for number in range(LOOKS)],
    )
    return replace(soak, **changed)


def looks(**changes: Any) -> list[Look]:
    """Return looks of which the last third is not well."""
    return [steady(number, **(changes if number >= 20 else {})) for number in range(LOOKS)]


def test_steady_soak_has_no_fault() -> None:
    assert faults(soaked()) == []


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        ({"lag": LAG | {QUICK: 200}}, f"lag of {QUICK} grew: 20, then 200 records"),
        ({"lag": LAG | {SLOW: 1500}}, f"lag of {SLOW} grew: 80, then 1,500 records"),
        ({"lag": LAG | {SERVICE: 100}}, f"lag of {SERVICE} grew: 0, then 100 records"),
        ({"lag": LAG | {QUICK: None}}, f"lag of {QUICK} was not known 10 of 30 times"),
        ({"lag": {QUICK: 20, SLOW: 80}}, f"lag of {SERVICE} was not known 10 of 30 times"),
        ({"behind": {QUICK: 14.0, SLOW: 4.0}}, f"{QUICK} fell behind: 2, then 14 seconds"),
        ({"behind": {QUICK: 1.0, SLOW: 140.0}}, f"{SLOW} fell behind: 8, then 140 seconds"),
        ({"behind": {QUICK: None, SLOW: 4.0}}, f"age of {QUICK} was not known 10 of 30 times"),
        ({"states": {QUICK: "silent", SLOW: "live"}}, f"{QUICK} was not live: silent 10 of 30 times"),
        ({"states": {QUICK: "live"}}, f"{SLOW} was not live: not there 10 of 30 times"),
        ({"memory": 7.8}, "memory grew: 7.02, then 7.80 GB"),
        ({"counts": {"events": 8000, "changed rows": 900}}, "events: 8.9 a second, not 10.0"),
        ({"counts": {"events": 9000, "changed rows": 0}}, "changed rows: 0.0 a second, not 1.0"),
    ],
)
def test_fault_is_told(seen: dict[str, Any], told: str) -> None:
    assert faults(soaked(looks=looks(**seen))) == [told]


@pytest.mark.parametrize(
    "seen",
    [{"memory": 7.2}, {"counts": {"events": 8600, "changed rows": 860}}],
    ids=["memory", "rates"],
)
def test_noise_is_no_fault(seen: dict[str, Any]) -> None:
    assert faults(soaked(looks=looks(**seen))) == []


def test_slow_leak_is_told_though_no_third_is_much_above_the_one_before() -> None:
    leaking = [steady(number, memory=7.0 + number / 20) for number in range(LOOKS)]
    assert faults(soaked(looks=leaking)) == ["memory grew: 7.22, then 8.22 GB"]


def batches(pace: float, age: Callable[[float], float]) -> Soak:
    """Return a soak of one query that looks for news at its pace, and what is added to its age meanwhile.

    Somebody looks every seven seconds: now early in a batch, now late.
    """
    watched = []
    for second in range(0, MINUTES * 60 + 1, 7):
        behind = second % pace + age(second)
        seen = Look(
            minute=second / 60,
            states={QUICK: "live"},
            lag={QUICK: int(10 * behind)},
            behind={QUICK: behind},
            counts={"events": 10 * second},
            memory=7.0,
            cores=1.0,
        )
        watched.append(seen)
    return Soak(minutes=MINUTES, rates={"events": 10.0}, queries={QUICK: pace}, looks=watched)


EVERY_PACE = pytest.mark.parametrize("pace", [10.0, 20.0, 60.0, 120.0])


@EVERY_PACE
def test_batches_alone_are_no_fault(pace: float) -> None:
    assert faults(batches(pace, lambda _second: 4.0)) == []


@EVERY_PACE
def test_what_climbs_slowly_is_told_though_every_look_is_below_its_bound(pace: float) -> None:
    grown = 0.5 * pace  # in all the time: what one batch is behind the other is not to be seen
    climbing = batches(pace, lambda second: grown * second / (MINUTES * 60))
    both = faults(replace(climbing, goals={QUICK: 2 * pace}))
    assert [fault.split(":")[0] for fault in both] == [f"lag of {QUICK} climbs", f"{QUICK} falls behind"]


@EVERY_PACE
def test_one_batch_that_takes_long_is_no_fault(pace: float) -> None:
    stalled = batches(pace, lambda second: 40.0 if 600 <= second < 650 else 0.0)
    assert faults(stalled) == []


def test_memory_that_climbs_is_told_though_no_third_is_much_above_the_first() -> None:
    climbing = [steady(number, memory=7.4 + 0.6 * number / LOOKS) for number in range(LOOKS)]
    assert faults(soaked(looks=climbing)) == ["memory climbs: by 0.60 GB over 15 minutes"]


def test_rows_that_are_older_than_their_goal_are_told() -> None:
    old = batches(60.0, lambda _second: 20.0)
    assert faults(replace(old, goals={QUICK: 120.0})) == []
    assert faults(replace(old, goals={QUICK: 60.0})) == [
        f"{QUICK} was more than 60 seconds behind 41 of 129 times"
    ]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            {"ended": "the simulated customers have gone"},
            "it was over after 15.0 of 15 minutes: the simulated customers have gone",
        ),
        ({"cold": [QUICK, SLOW]}, f"not warm when the minutes began: {QUICK}, {SLOW}"),
        ({"queries": {}}, "there is no query to watch"),
        ({"looks": []}, "0 looks are too few to judge by, 9 are needed"),
        ({"looks": [steady(number) for number in range(8)]}, "8 looks are too few to judge by, 9 are needed"),
    ],
    ids=["customers gone", "cold", "no query", "no look", "few looks"],
)
def test_soak_that_shows_nothing_is_told(wrong: dict[str, Any], told: str) -> None:
    assert faults(soaked(**wrong)) == [told]


def test_figures_hold_what_was_achieved_and_the_worst_of_it() -> None:
    found = figures(soaked(looks=looks(lag=LAG | {QUICK: 200})))
    assert found["rates"]["events"] == {"wanted": 10.0, "achieved": 10.0}
    assert found["memory_gigabytes"] == {"first third": 7.02, "second third": 7.02, "last third": 7.02}
    assert found["greatest_lag"] == {QUICK: 200, SLOW: 160, SERVICE: 0}
    assert found["greatest_seconds_behind"] == {QUICK: 4, SLOW: 16}
    assert found["faults"] == [f"lag of {QUICK} grew: 20, then 200 records"]


def test_soak_in_which_nothing_was_seen_has_figures_all_the_same() -> None:
    found = figures(soaked(looks=[], ended="the simulated customers have gone"))
    assert found["greatest_lag"] == {QUICK: None, SLOW: None, SERVICE: None}
    assert len(found["faults"]) == 2
