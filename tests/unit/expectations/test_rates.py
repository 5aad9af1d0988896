"""Shares of records that a view leaves out: worth a look above 5 %, an alarm above 50 %."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from expectations.measuring import rates
from expectations.snapshots import Snapshot

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def snapshot(minutes_ago: float, *, arrived: int, quarantined: int = 0, late: int = 0) -> Snapshot:
    counts = {"arrived": arrived, "quarantined": quarantined, "late": late, "repeated": 0}
    return Snapshot(
        id=1,
        parent=None,
        committed_at=NOON - timedelta(minutes=minutes_ago),
        operation="append",
        batch=1,
        offsets={},
        counts={"page_views": {"0": counts | {"used": arrived - quarantined - late}}},
    )


@pytest.mark.parametrize(
    ("quarantined", "success", "severity"),
    [(0, True, "warn"), (5, True, "warn"), (6, False, "warn"), (50, False, "warn"), (51, False, "fail")],
)
def test_share_decides_between_nothing_warning_and_failure(
    quarantined: int, success: bool, severity: str
) -> None:
    found, late = rates([snapshot(1, arrived=100, quarantined=quarantined)], NOON)
    assert (found.success, found.severity) == (success, severity)
    assert found.observed == f"{quarantined} of 100 records ({quarantined / 100:.1%})"
    assert late.success


def test_only_the_last_hour_counts() -> None:
    history = [
        snapshot(61, arrived=100, late=100),
        snapshot(59, arrived=100, late=2),
        snapshot(1, arrived=100),
    ]
    _, late = rates(history, NOON)
    assert late.observed == "2 of 200 records (1.0%)"


def test_nothing_arrived_is_nothing_left_out() -> None:
    assert all(rate.success for rate in rates([], NOON))
