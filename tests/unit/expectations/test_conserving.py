"""The conservation law: every offset accounted for, and nobody else's hands in the table."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from expectations.conserving import conserve
from expectations.snapshots import Snapshot
from headwater.replay.proof import Conservation, Proof
from headwater.topics import load_topics

PAGE_VIEWS = load_topics()["page_views"]
COMPACTED = PAGE_VIEWS.model_copy(update={"name": "profiles", "cleanup": "compact"})
TOPICS = {"page_views": PAGE_VIEWS, "profiles": COMPACTED}
AT = datetime(2026, 1, 5, 12, tzinfo=UTC)
BEGAN = {"page_views": {"0": 100, "1": 0}}


def batch(number: int, ends: tuple[int, int], used: tuple[int, int], **changes: Any) -> Snapshot:
    """Return a batch that reads partitions 0 and 1 up to `ends`; each has one repeat besides `used`."""
    given: dict[str, Any] = {
        "id": number + 1000,
        "parent": number + 999 if number else None,
        "committed_at": AT,
        "operation": "append",
        "query": "q",
        "batch": number,
        "offsets": {"page_views": {str(p): end for p, end in enumerate(ends)}},
        "counts": {"page_views": {str(p): counts(one) for p, one in enumerate(used)}},
    }
    return Snapshot(**given | changes)


def counts(used: int) -> dict[str, int]:
    return {"arrived": used + 1, "quarantined": 0, "late": 0, "repeated": 1, "used": used}


GOOD = [batch(0, (110, 20), (9, 19)), batch(2, (130, 30), (19, 9))]  # batch 1 had nothing to say
FOREIGN = Snapshot(id=77, parent=1000, committed_at=AT, operation="overwrite", offsets={}, counts={})


def problems(found: Conservation) -> list[str]:
    made = Proof(view="v", candidate="v2", made_at=AT, checks=(), difference=None, conservation=found)
    return made.problems


def test_batches_that_follow_each_other_account_for_all() -> None:
    found = conserve(GOOD, BEGAN, BEGAN, TOPICS)
    assert problems(found) == []
    assert found.batches == 2
    assert [(one.partition, one.start, one.end, one.used, one.repeated) for one in found.partitions] == [
        (0, 100, 130, 28, 2),
        (1, 0, 30, 28, 2),
    ]


def test_record_that_never_arrived_is_lost() -> None:
    found = conserve([GOOD[0], batch(1, (130, 30), (18, 9))], BEGAN, None, TOPICS)
    assert problems(found) == ["Records lost from page_views partition 0: 1."]


def test_batch_that_is_not_in_the_lineage_is_seen() -> None:
    rolled_back = [GOOD[0], batch(3, (150, 40), (19, 9))]  # its batch 2 read up to (130, 30)
    assert len(problems(conserve(rolled_back, BEGAN, None, TOPICS))) == 2


def test_what_was_lost_and_what_came_twice_do_not_cancel_out() -> None:
    uneven = [batch(0, (110, 20), (8, 19)), batch(1, (130, 30), (20, 9))]
    assert problems(conserve(uneven, BEGAN, None, TOPICS)) == [
        "Batch 1 does not add up for page_views partition 0."
    ]


def test_commit_of_somebody_else_is_named() -> None:
    (problem,) = problems(conserve([GOOD[0], FOREIGN, GOOD[1]], BEGAN, None, TOPICS))
    assert "Snapshot 77" in problem
    assert "somebody else" in problem


def test_backfill_is_no_fault() -> None:
    backfill = replace(FOREIGN, backfill=True)
    assert problems(conserve([GOOD[0], backfill, GOOD[1]], BEGAN, None, TOPICS)) == []


def test_maintenance_that_moves_rows_to_other_files_is_no_fault() -> None:
    rewrite = Snapshot(id=77, parent=1000, committed_at=AT, operation="replace", offsets={}, counts={})
    assert problems(conserve([*GOOD, rewrite], BEGAN, None, TOPICS)) == []


COVERED = {"page_views": {"0": 100, "1": 0}}
HISTORY = Snapshot(
    id=1, parent=None, committed_at=AT, operation="overwrite", offsets={"page_views": {"0": 115, "1": 12}},
    counts={"page_views": {"0": counts(59)}}, history=COVERED,
)  # fmt: skip
ASKED = {"page_views": {"0": 40, "1": 0}}
GOING_ON = [batch(0, (110, 20), (9, 19), parent=1), GOOD[1]]


def test_history_and_the_batches_after_it_account_for_all() -> None:
    found = conserve([HISTORY, *GOING_ON], BEGAN, ASKED, TOPICS)
    assert problems(found) == []
    assert found.batches == 2
    assert [(one.partition, one.start, one.end, one.used, one.repeated) for one in found.partitions] == [
        (0, 40, 130, 87, 3),
        (1, 0, 30, 28, 2),
    ]


@pytest.mark.parametrize(
    ("opening", "began", "words"),
    [
        (replace(HISTORY, counts={}), BEGAN, "Records lost from page_views partition 0: 60"),
        (replace(HISTORY, counts={"page_views": {"0": counts(60)}}), BEGAN, "The history does not add up"),
        (
            HISTORY,
            {"page_views": {"0": 101, "1": 0}},
            "It began at offset 101 of page_views partition 0, not at 100",
        ),
        (replace(HISTORY, parent=7), BEGAN, "Snapshot 1 (2026-01-05 12:00:00) is no batch"),
    ],
)
def test_history_that_does_not_meet_its_stream_is_a_fault(
    opening: Snapshot, began: dict[str, dict[str, int]], words: str
) -> None:
    found = conserve([opening, *GOING_ON], began, ASKED, TOPICS)
    assert any(words in problem for problem in problems(found))


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (batch(0, (130, 30), (19, 9)), "Batch 0 comes after batch 0"),
        (batch(1, (130, 30), (19, 9), query="other"), "2 different checkpoints"),
        (batch(1, (105, 30), (-6, 9)), "Batch 1 ends before batch 0"),
    ],
)
def test_broken_row_of_batches_is_a_fault(second: Snapshot, words: str) -> None:
    assert any(words in problem for problem in problems(conserve([GOOD[0], second], BEGAN, None, TOPICS)))


def test_other_beginning_than_planned_is_a_fault() -> None:
    planned = {"page_views": {"0": 90, "1": 0}}
    assert problems(conserve(GOOD, BEGAN, planned, TOPICS)) == [
        "It began at offset 100 of page_views partition 0, not at 90."
    ]


def test_partition_that_was_added_is_read_from_its_first_record() -> None:
    found = conserve(GOOD, {"page_views": {"0": 100}}, None, TOPICS)
    assert problems(found) == []


def test_gaps_of_a_compacted_topic_are_no_loss() -> None:
    compacted = Snapshot(
        id=1, parent=None, committed_at=AT, operation="append", query="q", batch=0,
        offsets={"profiles": {"0": 50}}, counts={"profiles": {"0": counts(9)}},
    )  # fmt: skip
    found = conserve([compacted], {"profiles": {"0": 0}}, None, TOPICS)
    assert found.partitions[0].gaps == 40
    assert problems(found) == []


def test_expired_history_is_said_and_the_rest_accounted_for() -> None:
    oldest_left = batch(7, (110, 20), (1, 1))
    found = conserve([oldest_left, batch(8, (130, 30), (19, 9))], BEGAN, BEGAN, TOPICS)
    assert problems(found) == []
    assert "expired" in found.warnings[0]
    assert found.partitions[0].start == 110


def test_version_that_has_written_nothing_has_nothing_to_account_for() -> None:
    found = conserve([], BEGAN, None, TOPICS)
    assert problems(found) == []
    assert all(one.start == one.end for one in found.partitions)
