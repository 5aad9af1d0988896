"""Leaving out what is not needed: fewer things that still do.

By halves, quarters and so on, down to single ones: whatever can be left out is. In the end none of what is
left can be left out alone, unless it took too many trials to find out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Thing = TypeVar("Thing")


def reduced(
    things: Sequence[Thing], suffice: Callable[[Sequence[Thing]], bool], trials: int
) -> tuple[list[Thing], bool]:
    """Return as few of the things as still suffice, and whether each of them was shown to be needed.

    The last are tried first: whoever has a guess puts them there.
    """
    kept, parts = list(things), 2
    while kept:
        size = -(-len(kept) // parts)
        for start in reversed(range(0, len(kept), size)):
            if trials == 0:
                return kept, False
            trials -= 1
            without = kept[:start] + kept[start + size :]
            if suffice(without):
                kept, parts = without, max(parts - 1, 2)
                break
        else:
            if size == 1:
                return kept, True
            parts = min(2 * parts, len(kept))
    return kept, True
