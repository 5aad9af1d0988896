"""Figures of replays: what is too slow, too steep, too large or wrong is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks import figures
from benchmarks.replay_results import RAW, Measure, Results
from benchmarks.watching import Cost

if TYPE_CHECKING:
    from pathlib import Path

WHAT = "rebuild page_views_per_minute"
MILLION = 1_000_000


def measure(
    events: int, seconds: float, what: str = WHAT, *, memory: float = 1.0, wrong: str = ""
) -> Measure:
    cost = Cost(seconds=seconds, cpu_seconds=2 * seconds, peak_gigabytes=memory)
    return Measure(log="page_views", what=what, events=events, wrong=wrong, cost=cost)


def faults(*measures: Measure) -> list[str]:
    results = Results()
    for each in (measure(MILLION, 1, RAW), measure(4 * MILLION, 4, RAW), *measures):
        results._put(each)
    return results.faults()


def test_fast_and_flat_is_no_fault() -> None:
    assert faults(measure(MILLION, 1.5), measure(4 * MILLION, 6)) == []


@pytest.mark.parametrize(
    ("larger", "told"),
    [
        (measure(4 * MILLION, 8), f"{WHAT}: 50% of the raw read, not 55%"),
        (measure(4 * MILLION, 7, memory=2), f"{WHAT}: memory grows, from 1.00 GB to 2.00"),
        (measure(4 * MILLION, 1, wrong="3 rows are wrong"), f"{WHAT}, 4,000,000 events: 3 rows are wrong"),
    ],
)
def test_fault_is_told(larger: Measure, told: str) -> None:
    assert told in faults(measure(MILLION, 1.75), larger)


def test_what_grows_faster_than_the_log_is_told() -> None:
    assert faults(measure(MILLION, 1), measure(4 * MILLION, 6.5)) == [
        f"{WHAT}: grows like N to the power of 1.35"
    ]


def test_sizes_that_were_measured_before_are_there_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "FOLDER", tmp_path)
    for each in (measure(MILLION, 2), measure(4 * MILLION, 8), measure(MILLION, 1)):
        Results.load().add(each)
    assert list(Results.load().measures.values()) == [measure(MILLION, 1), measure(4 * MILLION, 8)]
