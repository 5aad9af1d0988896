"""What supervision does about an app, case by case: (what is wanted, what is seen) → what is done."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from headwater.supervision.deciding import (
    CATCHING_UP,
    LAG_BOUND,
    SILENT,
    STARTING,
    STOPPING,
    STUCK,
    UNKNOWN_BACKLOG,
    VAIN_STARTS,
    Action,
    Adopt,
    Alarm,
    GiveUp,
    Kill,
    Observed,
    ObservedQuery,
    Restart,
    Submit,
    decide,
)
from spark_apps import catalog
from spark_apps.jobs import UNHURRIED

A_SECOND = timedelta(seconds=1)
FOLLOWS = ObservedQuery(name="orders.v1", lag=120, lag_seen=100, age=timedelta(seconds=9))
HEALTHY = Observed(
    app="traffic",
    wanted=True,
    wanted_for=timedelta(hours=3),
    driver="driver-1",
    submission="driver-1",
    running=True,
    started_for=timedelta(hours=3),
    silence=timedelta(seconds=4),
    queries=(FOLLOWS,),
)
GONE = replace(HEALTHY, running=False)
STARTED = replace(HEALTHY, silence=None, queries=(), started_for=STARTING, vain_starts=1)
LIFELESS = replace(STARTED, started_for=STARTING + A_SECOND)
STOPPED = replace(HEALTHY, wanted=False)
LATE = STUCK + A_SECOND


def whose_query(**differs: Any) -> Observed:
    """Return a healthy app but for one of its two queries."""
    return replace(HEALTHY, queries=(FOLLOWS, replace(FOLLOWS, name="refunds.v1", **differs)))


def while_another_catches_up(lag: int | None, age: timedelta) -> Observed:
    """Return an app with a query that has finished nothing for so long, and one that has so much to read."""
    return replace(HEALTHY, queries=(replace(FOLLOWS, age=age), replace(FOLLOWS, lag=lag, catching_up=True)))


CASES: dict[str, tuple[Observed, list[type[Action]]]] = {
    "all is well": (HEALTHY, []),
    "never submitted": (Observed(app="traffic", wanted=True), [Submit]),
    "driver gone": (GONE, [Submit]),
    "driver gone that gave no sign of life": (replace(GONE, silence=None, queries=()), [Submit]),
    "driver gone, and another app still writes one of its queries": (
        replace(GONE, blocked_by="orders.v2"),
        [],
    ),
    "driver gone after one more start than is tried in vain": (
        replace(GONE, vain_starts=VAIN_STARTS),
        [GiveUp],
    ),
    "paused by a person, so that no batch ends and the lag grows": (
        replace(whose_query(age=timedelta(hours=2), lag=LAG_BOUND + 1), paused=True),
        [],
    ),
    "paused, and gone silent all the same": (
        replace(HEALTHY, paused=True, silence=SILENT + A_SECOND),
        [Restart],
    ),
    "relaunched under a new id": (replace(HEALTHY, driver="driver-2"), [Adopt]),
    "relaunched under a new id, and stuck": (
        replace(HEALTHY, driver="driver-2", silence=SILENT + A_SECOND),
        [Adopt, Restart],
    ),
    "silent": (replace(HEALTHY, silence=SILENT + A_SECOND), [Restart]),
    "not silent for long enough": (replace(HEALTHY, silence=SILENT), []),
    "submitted, and still starting": (STARTED, []),
    "submitted, and never heard of": (LIFELESS, [Restart]),
    "submitted, and the cluster has no room yet": (replace(STARTED, queued=True), []),
    "submitted, and the cluster has had no room for long": (replace(LIFELESS, queued=True), [Alarm]),
    "no room, however often it was submitted": (
        replace(LIFELESS, queued=True, vain_starts=VAIN_STARTS),
        [Alarm],
    ),
    "never heard of, and not for the first time": (
        replace(LIFELESS, vain_starts=VAIN_STARTS - 1),
        [Restart],
    ),
    "never heard of, as often as is tried": (replace(LIFELESS, vain_starts=VAIN_STARTS), [GiveUp]),
    "started as often as is tried, and the last may still come to life": (
        replace(STARTED, vain_starts=VAIN_STARTS),
        [],
    ),
    "no batch although there is input": (whose_query(age=LATE), [Restart]),
    "a batch that takes as long as it may": (whose_query(age=STUCK), []),
    "no batch because there is no input": (whose_query(age=STUCK * 9, lag=0), []),
    "no batch, and nobody knows whether there is input": (whose_query(age=STUCK * 9, lag=None), []),
    "no input for one query, and a batch under way in the other": (
        replace(
            HEALTHY,
            queries=(replace(FOLLOWS, lag=0, age=STUCK * 9), replace(FOLLOWS, lag=9_000, age=STUCK)),
        ),
        [],
    ),
    "one query reads a long backlog, and holds up the other": (
        while_another_catches_up(lag=9_000_000, age=timedelta(hours=1)),
        [],
    ),
    "one query reads a backlog, and the other comes to no end for longer than that may take": (
        while_another_catches_up(lag=9_000, age=CATCHING_UP + LATE),
        [Restart],
    ),
    "one query reads a backlog of unknown length, and holds up the other": (
        while_another_catches_up(lag=None, age=UNKNOWN_BACKLOG),
        [],
    ),
    "one query reads a backlog of unknown length, and the other comes to no end at all": (
        while_another_catches_up(lag=None, age=UNKNOWN_BACKLOG + A_SECOND),
        [Restart],
    ),
    "two queries are stuck": (
        replace(HEALTHY, queries=(replace(FOLLOWS, age=LATE), replace(FOLLOWS, age=LATE))),
        [Restart],
    ),
    "a query that waits for its turn": (whose_query(age=None, catching_up=True), []),
    "a long batch that reads a backlog": (
        whose_query(age=CATCHING_UP + STUCK, catching_up=True, lag=10_000_000),
        [],
    ),
    "a batch too long even for its backlog": (
        whose_query(age=timedelta(hours=2), catching_up=True, lag=10_000),
        [Restart],
    ),
    "far behind, and falling further": (whose_query(lag=LAG_BOUND + 2, lag_seen=LAG_BOUND + 1), [Alarm]),
    "far behind, but gaining": (whose_query(lag=LAG_BOUND + 1, lag_seen=LAG_BOUND + 2), []),
    "far behind for the first time": (whose_query(lag=LAG_BOUND + 1, lag_seen=None), []),
    "behind within bounds": (whose_query(lag=LAG_BOUND, lag_seen=0), []),
    "behind because it catches up": (
        whose_query(lag=LAG_BOUND * 9, lag_seen=LAG_BOUND, catching_up=True),
        [],
    ),
    "one query falls behind while another that was further behind gains": (
        replace(
            HEALTHY,
            queries=(
                replace(FOLLOWS, lag=LAG_BOUND * 2, lag_seen=LAG_BOUND * 3),
                replace(FOLLOWS, lag=LAG_BOUND + 2, lag_seen=LAG_BOUND + 1),
            ),
        ),
        [Alarm],
    ),
    "two restarts": (replace(HEALTHY, restarts=2), []),
    "three restarts": (replace(HEALTHY, restarts=3), [GiveUp]),
    "three restarts, and gone again": (replace(GONE, restarts=3), [GiveUp]),
    "given up": (replace(GONE, broken=True, restarts=3), []),
    "given up, and back": (replace(HEALTHY, broken=True), [Kill]),
    "given up, and not wanted any more": (replace(GONE, broken=True, wanted=False), []),
    "resumed by a person": (replace(GONE, broken=False, restarts=0), [Submit]),
    "no worker": (replace(HEALTHY, workers=0), [Alarm]),
    "no worker, and no driver": (replace(GONE, workers=0), [Alarm]),
    "no worker, and silent": (replace(HEALTHY, workers=0, silence=timedelta(hours=1)), [Alarm]),
    "no worker, and not wanted": (replace(GONE, workers=0, wanted=False), []),
    "outdated, with time to end by itself": (replace(HEALTHY, outdated=True, wanted_for=STOPPING), []),
    "outdated, and will not end": (
        replace(HEALTHY, outdated=True, wanted_for=STOPPING + A_SECOND),
        [Kill],
    ),
    "outdated, and ended": (replace(GONE, outdated=True), [Submit]),
    "should not run, and does not": (replace(STOPPED, running=False), []),
    "should not run, with time to end by itself": (replace(STOPPED, wanted_for=STOPPING), []),
    "should not run, and will not end": (replace(STOPPED, wanted_for=STOPPING + A_SECOND), [Kill]),
    "should not run, and restarts": (replace(STOPPED, restarts=9, wanted_for=STOPPING), []),
}


@pytest.mark.parametrize("case", CASES)
def test_decision_when(case: str) -> None:
    seen, expected = CASES[case]
    assert [type(action) for action in decide(seen)] == expected


def test_every_action_says_why() -> None:
    for seen, _ in CASES.values():
        assert all(action.reason for action in decide(seen))


def test_alarms_say_what_kind_they_are() -> None:
    kinds = {
        action.kind for seen, _ in CASES.values() for action in decide(seen) if isinstance(action, Alarm)
    }
    assert kinds == {"lag", "no room", "no workers"}


def test_alarm_names_the_query_that_is_furthest_behind() -> None:
    falls = replace(FOLLOWS, lag=LAG_BOUND + 2, lag_seen=LAG_BOUND + 1)
    further = replace(falls, name="refunds.v1", lag=LAG_BOUND + 3)
    (alarm,) = decide(replace(HEALTHY, queries=(falls, further, falls)))
    assert f'query "refunds.v1" is {LAG_BOUND + 3} records behind' in alarm.reason


@pytest.mark.parametrize("pause", [20 * A_SECOND, timedelta(minutes=1), timedelta(minutes=9)])
def test_driver_that_never_comes_to_life_is_given_up_however_often_one_looks(pause: timedelta) -> None:
    """Starts that take three minutes each to fail hardly ever happen to be four within ten minutes."""
    starts, started_for, looks = 0, timedelta(0), 0
    while True:
        seen = replace(STARTED, running=starts > 0, started_for=started_for, vain_starts=starts)
        match decide(seen):
            case [GiveUp()]:
                break
            case [Submit() | Restart()]:
                starts, started_for = starts + 1, timedelta(0)
        started_for, looks = started_for + pause, looks + 1
        assert looks * pause < VAIN_STARTS * (STARTING + 2 * pause)
    assert starts == VAIN_STARTS


def test_no_query_looks_so_seldom_that_it_passes_for_stuck() -> None:
    triggers = [UNHURRIED, *(view.trigger for view in catalog.views().values())]
    assert max(triggers) * 2 < STUCK
