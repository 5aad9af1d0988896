"""The plan and the proof of a backfill as a person reads them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headwater.errors import Refusal
from headwater.replay.backfill_plan import BackfillPlan
from headwater.replay.backfill_proof import BackfillProof, Outcome
from headwater.replay.between import Between
from headwater.replay.proof import CheckResult, Difference
from headwater.replay.starting import Stretch

EIGHT = datetime(2026, 11, 16, 8, tzinfo=UTC)
PLAN = BackfillPlan(
    view="orders",
    live="v1",
    artifact="0a1b2c3d4e5f6071",
    between=Between(first=EIGHT, after=EIGHT + timedelta(hours=20)),
    window=timedelta(minutes=1),
    lateness=timedelta(minutes=10),
    own_lateness=None,
    admits=False,
    stretches=(Stretch(topic="orders", partition=0, asked=100, beginning=400, end=1_500_100),),
    size=210_000_000,
    rate=50_000.0,
    measured=False,
    publishes=None,
    dependants=(),
    refusals=(),
)
TOLD = """\
## Backfill of `orders` v1: 2026-11-16 08:00:00 up to 2026-11-17 04:00:00 UTC

**May run.** Computes again the windows that lie wholly inside: those that start from 2026-11-16 08:00:00 \
up to 2026-11-17 03:59:00 UTC. Puts them into v1 in one commit, which rewrites 2 days of its table; all \
other rows stay as they are, and the live query goes on.

Events that are more than 10 min late stay out, as always.

No other view reads it, and it has no output topic.

Reads **1,500,000 events** (210 MB) of these windows, look-back included, with artifact `0a1b2c3d4e5f6071`: \
about **30 s** at 50,000 events/s (assumed: none has been measured yet), and half a minute to start.

| topic | partition | Kafka holds from | asked from | up to | events | from the cold log |
|---|---:|---:|---:|---:|---:|---:|
| orders | 0 | 400 | 100 | 1,500,100 | 1,500,000 | 300 |"""


def test_plan_in_words_and_tables() -> None:
    assert PLAN.markdown() == TOLD


def test_summary_has_a_line_for_each_topic() -> None:
    assert "| orders | 1 | 1,500,000 | 300 |" in PLAN.summary()
    assert "Kafka holds from" not in PLAN.summary()


def test_plan_that_may_not_run_says_why_first() -> None:
    refused = replace(PLAN, refusals=("Windows are closed up to 09:00.",))
    assert "**Refused.** Windows are closed up to 09:00." in refused.markdown()
    with pytest.raises(Refusal, match='view "orders" cannot be backfilled like this'):
        refused.refuse()


def test_plan_says_what_a_lateness_of_its_own_does() -> None:
    wide = replace(PLAN, own_lateness=timedelta(hours=2))
    assert "A lateness of 120 min changes nothing" in wide.markdown()
    assert "Admits events that are up to **120 min** late" in replace(wide, admits=True).markdown()


def test_plan_says_who_will_not_hear_of_it() -> None:
    told = replace(PLAN, publishes="orders_out", dependants=("refunds",)).markdown()
    assert "says nothing on its output topic `orders_out`: `refunds` will not hear of what changes." in told


def proof(**changes: Any) -> BackfillProof:
    return BackfillProof(
        **{
            "view": "orders",
            "version": "v1",
            "first": EIGHT,
            "after": EIGHT + timedelta(hours=1),
            "made_at": EIGHT,
            "checks": (),
            "difference": Difference(live="v1", equal=90, different=8, only_live=1, only_candidate=1),
        }
        | changes
    )


def check(severity: str) -> CheckResult:
    return CheckResult(expectation="expect_rows", arguments={}, severity=severity, success=False)  # type: ignore[arg-type]


def test_no_budget_stops_a_backfill_and_the_proof_says_so() -> None:
    made = proof()
    assert made.holds
    assert "**10 of 100 rows change.**" in made.markdown()
    assert "budget for differences does not count" in made.markdown()
    assert made.question == "Shall 10 of 100 rows of orders v1 change?"


def test_failed_checks_and_open_windows_stop_it() -> None:
    assert proof(checks=(check("warn"),)).holds
    assert not proof(checks=(check("fail"),)).holds
    still_open = proof(faults=("3 windows are still open.",))
    assert not still_open.holds
    assert "- 3 windows are still open." in still_open.markdown()


def test_proof_says_how_many_late_events_come_in_and_what_differs_otherwise() -> None:
    made = proof(lateness=timedelta(hours=2), late_events=12, otherwise=0)
    assert "12 late events are admitted, up to 120 minutes late; without them 0 rows would differ." in (
        made.markdown()
    )
    assert made.warnings == []
    assert proof(lateness=timedelta(hours=2), otherwise=3).warnings != []


def test_outcome_says_whether_it_is_what_was_proved() -> None:
    outcome = Outcome(first=EIGHT, after=EIGHT, rows=99, equal=90, different=8, only_live=1, only_candidate=1)
    assert outcome.in_words(proof()).endswith("10 changed, as proved")
    more = outcome.model_copy(update={"different": 9})
    assert "11 changed, not 10 as proved" in more.in_words(proof())
