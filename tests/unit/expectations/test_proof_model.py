"""The proof: its verdict, its problems in words, and what a person reads."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from headwater.replay.proof import (
    CheckResult,
    Conservation,
    Difference,
    DifferentRow,
    PartitionLedger,
    Proof,
)

MADE_AT = datetime(2026, 1, 5, 12, tzinfo=UTC)
GOLDEN = Path(__file__).parent
HOLDS = CheckResult(
    expectation="expect_column_values_to_not_be_null",
    arguments={"column": "page"},
    severity="fail",
    success=True,
    unexpected=0,
)
FAILS = HOLDS.model_copy(update={"success": False, "unexpected": 3, "samples": ("None",)})
WARNS = FAILS.model_copy(update={"severity": "warn"})
LEDGER = PartitionLedger(
    topic="page_views", partition=0, start=100, end=1100, used=950, quarantined=20, late=0, repeated=30
)
CONSERVED = Conservation(batches=12, partitions=(LEDGER,))
EQUAL = Difference(live="v1", equal=400, closed_until=MADE_AT)


def proof(**changes: Any) -> Proof:
    given: dict[str, Any] = {
        "view": "page_views_per_minute",
        "candidate": "v2",
        "made_at": MADE_AT,
        "checks": (HOLDS,),
        "difference": EQUAL,
        "conservation": CONSERVED,
    }
    return Proof(**given | changes)


def lost(**changes: int) -> Conservation:
    return Conservation(batches=12, partitions=(LEDGER.model_copy(update=changes),))


SAMPLES = (
    DifferentRow(
        keys={"minute_at": "2026-01-05 11:00:00", "page": "/home"},
        live={"minute_at": "2026-01-05 11:00:00", "page": "/home", "views": "5"},
        candidate={"minute_at": "2026-01-05 11:00:00", "page": "/home", "views": "6"},
    ),
    DifferentRow(
        keys={"minute_at": "2026-01-05 11:01:00", "page": "a|b`<script>\n"},
        live=None,
        candidate={"minute_at": "2026-01-05 11:01:00", "page": "a|b`<script>\n", "views": "1"},
    ),
)
DIFFERS = Difference(
    live="v1",
    closed_until=MADE_AT,
    equal=398,
    different=1,
    only_candidate=1,
    budget=0.001,
    looks=2,
    columns_of_one=("revision (v2)",),
    samples=SAMPLES,
)
BAD = proof(
    checks=(HOLDS, FAILS, WARNS),
    difference=DIFFERS,
    conservation=Conservation(
        batches=12,
        partitions=(LEDGER.model_copy(update={"used": 949}),),
        faults=("Snapshot 77 is no batch of this view.",),
    ),
)


def test_proof_holds_when_all_three_parts_do() -> None:
    assert proof().holds
    assert proof().problems == []
    assert proof().warnings == []


def test_failed_expectation_is_a_problem_and_a_warning_is_not() -> None:
    (problem,) = proof(checks=(HOLDS, FAILS)).problems
    assert "expect_column_values_to_not_be_null(column=page) does not hold: 3 unexpected" in problem
    warned = proof(checks=(HOLDS, WARNS))
    assert warned.holds
    assert "does not hold" in warned.warnings[0]


def test_expectation_that_could_not_be_evaluated_does_not_hold() -> None:
    broken = HOLDS.model_copy(update={"success": False, "error": "no such column"})
    assert "could not be evaluated: no such column" in proof(checks=(broken,)).problems[0]


def test_columns_that_were_not_compared_are_named() -> None:
    besides = EQUAL.model_copy(update={"uncompared": ("revision",)})
    assert "Not compared: `revision`." in proof(difference=besides).markdown()
    assert "Not compared" not in proof(difference=EQUAL).markdown()


@pytest.mark.parametrize(("budget", "holds"), [(0.0, False), (0.004, False), (0.005, True)])
def test_difference_is_held_against_the_budget(budget: float, holds: bool) -> None:
    differs = DIFFERS.model_copy(update={"budget": budget})
    assert differs.share == 0.005
    assert proof(difference=differs).holds is holds


def test_incomparable_versions_need_a_budget_of_one() -> None:
    strange = Difference(live="v1", incomparable="its keys are a instead of b")
    assert "not comparable with v1" in proof(difference=strange).problems[0]
    allowed = proof(difference=strange.model_copy(update={"budget": 1.0}))
    assert allowed.holds
    assert "not comparable with v1" in allowed.warnings[0]


def test_comparing_nothing_is_said() -> None:
    for nothing in (Difference(live="v1"), None):
        found = proof(difference=nothing)
        assert found.holds
        assert "compare" in found.warnings[0]


def test_rows_that_readers_would_lose_are_said() -> None:
    late_start = EQUAL.model_copy(update={"closed_from": MADE_AT, "before_seam": 1200})
    found = proof(difference=late_start)
    assert found.holds
    assert found.warnings[0].startswith(
        "Readers would lose 1,200 rows: v1 has them of windows before 2026-01-05"
    )


def test_offset_that_is_not_accounted_for_is_a_problem() -> None:
    assert proof(conservation=lost(used=940)).problems == ["Records lost from page_views partition 0: 10."]
    twice = proof(conservation=lost(used=951))
    assert twice.problems == ["Records counted twice of page_views partition 0: 1."]
    compacted = lost(used=940).partitions[0].model_copy(update={"gaps_expected": True})
    assert proof(conservation=Conservation(batches=1, partitions=(compacted,))).holds


@pytest.mark.parametrize("made", [proof(), BAD], ids=["good", "bad"])
def test_proof_survives_being_stored(made: Proof) -> None:
    stored = made.model_dump(mode="json")
    assert (stored["holds"], stored["problems"]) == (made.holds, made.problems)
    assert Proof.model_validate(stored) == made


@pytest.mark.parametrize(("made", "file"), [(proof(), "proof_good.md"), (BAD, "proof_bad.md")])
def test_proof_reads_well(made: Proof, file: str) -> None:
    assert made.markdown() == (GOLDEN / file).read_text()


def test_values_of_events_cannot_be_markup() -> None:
    assert "<script>" not in BAD.markdown().replace("`a\\|b'<script>`", "")
