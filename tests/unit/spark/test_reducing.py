from __future__ import annotations

import pytest

from spark_apps.reducing import reduced


@pytest.mark.parametrize("needed", [{0}, {99}, {3, 4, 50}, {0, 99}, set(range(100)), set()])
def test_what_is_left_is_what_is_needed(needed: set[int]) -> None:
    kept, minimal = reduced(range(100), lambda some: needed <= set(some), trials=10_000)
    assert (set(kept), minimal) == (needed, True)


def test_of_two_that_are_as_good_one_is_left() -> None:
    kept, minimal = reduced("abcb", lambda some: "b" in some, trials=100)
    assert (kept, minimal) == (["b"], True)


def test_few_trials_give_a_larger_answer_that_still_suffices() -> None:
    tried = []

    def suffice(some: object) -> bool:
        tried.append(some)
        return {3, 50} <= set(some)  # type: ignore[call-overload]

    kept, minimal = reduced(range(100), suffice, trials=5)
    assert {3, 50} <= set(kept)
    assert not minimal
    assert len(tried) == 5
