"""Which windows of a version hold late events, after one backfill and another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from expectations.versions import admitted
from headwater.replay.backfill_proof import Outcome
from headwater.replay.between import Between

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
TWO_HOURS = timedelta(hours=2)


def outcome(first: int, after: int, lateness: timedelta | None) -> dict[str, Any]:
    """Return a backfill from one hour after noon up to another, as the registry keeps it."""
    made = Outcome(first=at(first), after=at(after), lateness=lateness, rows=7)
    return made.model_dump(mode="json")


def at(hour: int) -> datetime:
    return NOON + timedelta(hours=hour)


def test_only_backfills_with_a_lateness_of_their_own_let_late_events_in() -> None:
    assert admitted([outcome(0, 4, None)]) == ()
    assert admitted([outcome(0, 4, TWO_HOURS)]) == (Between(first=at(0), after=at(4)),)


def test_backfill_by_the_views_own_rule_takes_them_out_again() -> None:
    found = admitted([outcome(0, 4, TWO_HOURS), outcome(1, 2, None)])
    assert found == (Between(first=at(0), after=at(1)), Between(first=at(2), after=at(4)))
