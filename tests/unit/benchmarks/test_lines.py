"""Lines through what was seen: only what climbs for sure climbs."""

from __future__ import annotations

import math

import pytest

from benchmarks.lines import climb, peaks, slope


def test_slope_is_that_of_the_line_that_fits_best() -> None:
    assert slope([(0, 1), (1, 3), (2, 5)]) == pytest.approx(2)
    assert math.isnan(slope([(0, 1)]))


def test_each_stretch_has_its_peak() -> None:
    times, values = [0.0, 1.0, 2.0, 3.0, 4.0], [1.0, 5.0, 2.0, 7.0, 3.0]
    assert peaks(times, values, shortest=2) == [(0.25, 5.0), (0.75, 7.0)]
    assert peaks(times, values, shortest=5) == []
    assert peaks([], [], shortest=0) == []


def test_what_nobody_knows_is_no_peak() -> None:
    assert peaks([0.0, 1.0, 2.0, 3.0], [None, None, 4.0, None], shortest=1.5) == [(0.75, 4.0)]


@pytest.mark.parametrize(
    ("values", "climbed"),
    [
        ([10, 12, 14, 16, 18], 10),
        ([10, 13, 13, 17, 18], 10),
        ([10, 10, 10, 10, 10], 0),
        ([18, 16, 14, 12, 10], 0),
        ([10, 19, 11, 18, 14], 0),  # up and down
        ([10, 10, 10, 90, 10], 0),  # once
        ([10, 12, 14], 0),  # too few to tell
    ],
)
def test_climb_is_told_unless_it_may_be_chance(values: list[float], climbed: float) -> None:
    points = [(place / 5, value) for place, value in enumerate(values)]
    assert climb(points) == pytest.approx(climbed, rel=0.01)
