"""What supervision does about an app, case by case: (what is wanted, what is seen) → what is done."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from headwater.supervision.deciding import (
    CATCHING_UP,
    LAG_BOUND,
    SILENT,
    STARTING,
    STOPPING,
    STUCK,
    Action,
    Adopt,
    Alarm,
    GiveUp,
    Kill,
    Observed,
    Restart,
    Submit,
    decide,
)
from spark_apps import catalog
from spark_apps.jobs import UNHURRIED

A_SECOND = timedelta(seconds=1)
HEALTHY = Observed(
    app="traffic",
    wanted=True,
    wanted_for=timedelta(hours=3),
    driver="driver-1",
    submission="driver-1",
    running=True,
    started_for=timedelta(hours=3),
    silence=timedelta(seconds=4),
    batch_age=timedelta(seconds=9),
    lag=120,
    lag_seen=100,
)
GONE = replace(HEALTHY, running=False)
STOPPED = replace(HEALTHY, wanted=False)

CASES: dict[str, tuple[Observed, list[type[Action]]]] = {
    "all is well": (HEALTHY, []),
    "never submitted": (Observed(app="traffic", wanted=True), [Submit]),
    "driver gone": (GONE, [Submit]),
    "driver gone, and its lag is unknown": (replace(GONE, lag=None, silence=None), [Submit]),
    "driver gone, and another app still writes one of its queries": (
        replace(GONE, blocked_by="orders.v2"),
        [],
    ),
    "paused by a person, so that no batch ends and the lag grows": (
        replace(HEALTHY, paused=True, batch_age=timedelta(hours=2), lag=LAG_BOUND + 1),
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
    "submitted, and still starting": (
        replace(HEALTHY, silence=None, batch_age=None, started_for=STARTING),
        [],
    ),
    "submitted, and never heard of": (
        replace(HEALTHY, silence=None, batch_age=None, started_for=STARTING + A_SECOND),
        [Restart],
    ),
    "no batch although there is input": (replace(HEALTHY, batch_age=STUCK + A_SECOND), [Restart]),
    "no batch because there is no input": (replace(HEALTHY, batch_age=STUCK * 9, lag=0), []),
    "no batch, and nobody knows whether there is input": (
        replace(HEALTHY, batch_age=STUCK * 9, lag=None),
        [],
    ),
    "a long batch that reads a backlog": (
        replace(HEALTHY, batch_age=CATCHING_UP + STUCK, catching_up=True, lag=10_000_000),
        [],
    ),
    "a batch too long even for its backlog": (
        replace(HEALTHY, batch_age=timedelta(hours=2), catching_up=True, lag=10_000),
        [Restart],
    ),
    "far behind, and falling further": (replace(HEALTHY, lag=LAG_BOUND + 2, lag_seen=LAG_BOUND + 1), [Alarm]),
    "far behind, but gaining": (replace(HEALTHY, lag=LAG_BOUND + 1, lag_seen=LAG_BOUND + 2), []),
    "far behind for the first time": (replace(HEALTHY, lag=LAG_BOUND + 1, lag_seen=None), []),
    "behind within bounds": (replace(HEALTHY, lag=LAG_BOUND, lag_seen=0), []),
    "behind because it catches up": (
        replace(HEALTHY, lag=LAG_BOUND * 9, lag_seen=LAG_BOUND, catching_up=True),
        [],
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
    assert kinds == {"lag", "no workers"}


def test_no_query_looks_so_seldom_that_it_passes_for_stuck() -> None:
    triggers = [UNHURRIED, *(view.trigger for view in catalog.views().values())]
    assert max(triggers) * 2 < STUCK
