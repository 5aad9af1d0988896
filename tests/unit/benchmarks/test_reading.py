"""What is measured cold says how cold it was: the first turn of everything does not count."""

from __future__ import annotations

from benchmarks.reading import fastest
from benchmarks.watching import this_process, warm_cost_of


class ColdAtFirst:
    """Has much to do the first time, and nothing from then on."""

    def __init__(self) -> None:
        self.turns = 0

    def __call__(self) -> float:
        self.turns += 1
        if self.turns == 1:
            return float(sum(number % 7 for number in range(5_000_000)))
        return 0.0


def test_the_faster_of_two_turns_counts() -> None:
    work = ColdAtFirst()
    assert fastest(work) == 0.0
    assert work.turns == 2


def test_cost_is_that_of_the_second_turn() -> None:
    work = ColdAtFirst()
    assert warm_cost_of(work, this_process()).cpu_seconds < 0.1
    assert work.turns == 2
