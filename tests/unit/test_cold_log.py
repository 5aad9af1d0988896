"""What the cold log holds, as ranges: going on, missing parts, and back to where it is whole."""

from __future__ import annotations

import pytest

from headwater.cold_log import Archived, Finding, Holding
from headwater.cold_log.holding import of_topic, read_ledger, without, write_ledger
from headwater.errors import Refusal

TWO_RANGES = Archived(ranges=((10, 100), (150, 200)), records=135)


def test_batch_that_goes_on_makes_a_range_longer() -> None:
    assert Archived().with_batch(10, 60, 50).with_batch(60, 100, 35) == Archived(
        ranges=((10, 100),), records=85
    )


def test_batch_after_a_loss_begins_another_range() -> None:
    assert TWO_RANGES.with_batch(230, 240, 10).ranges == ((10, 100), (150, 200), (230, 240))


@pytest.mark.parametrize(
    ("asked", "missing"),
    [
        ((20, 90), []),
        ((0, 20), [(0, 10)]),
        ((90, 160), [(100, 150)]),
        ((120, 130), [(120, 130)]),
        ((0, 300), [(0, 10), (100, 150), (200, 300)]),
        ((50, 50), []),
    ],
)
def test_what_is_missing_of_a_range_is_named(asked: tuple[int, int], missing: list[tuple[int, int]]) -> None:
    assert TWO_RANGES.missing(*asked) == missing


def test_log_is_whole_back_to_where_the_range_begins_that_reaches_it() -> None:
    assert [TWO_RANGES.back_from(offset) for offset in (50, 120, 150, 200, 201)] == [10, 120, 150, 150, 201]


def test_ledger_survives_being_written_down() -> None:
    ledger = {"page_views": Holding(topic_id="a", partitions={0: TWO_RANGES, 1: Archived()})}
    assert read_ledger(write_ledger(ledger)) == ledger


def test_what_was_erased_is_a_gap_and_no_damage() -> None:
    ledger = {"page_views": Holding(topic_id="a", partitions={0: TWO_RANGES, 1: Archived()})}
    left = read_ledger(without(write_ledger(ledger), [("page_views", 0), ("page_views", 0)]))
    assert left["page_views"].partition(0) == Archived(ranges=TWO_RANGES.ranges, records=133)
    assert left["page_views"].partition(1) == Archived()


def test_topic_that_was_made_anew_is_refused_by_its_name() -> None:
    ledger = {"page_views": Holding(topic_id="a")}
    assert of_topic(ledger, "page_views", "a") == ledger["page_views"]
    with pytest.raises(Refusal, match='topic "page_views" was deleted and made anew'):
        of_topic(ledger, "page_views", "b")


@pytest.mark.parametrize(
    ("rows", "beginning", "end", "verdict"),
    [
        (135, 180, 200, "whole"),
        (135, 180, 260, "whole, 60 behind"),
        (134, 180, 200, "damaged: 134 rows of 135 records"),
        (135, 220, 260, "lost: 100 to 149, 200 to 219"),
    ],
)
def test_verdict_on_a_partition(rows: int, beginning: int, end: int, verdict: str) -> None:
    archived = TWO_RANGES if verdict.startswith("lost") else Archived(ranges=((10, 200),), records=135)
    finding = Finding(
        topic="page_views", partition=0, archived=archived, rows=rows, beginning=beginning, end=end
    )
    assert finding.verdict == verdict
    assert finding.good == verdict.startswith("whole")
