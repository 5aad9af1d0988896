"""Who looks at what: a few people and a few pages make up most of the traffic, as in any shop."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from itertools import accumulate

PAGES = (
    *(b"/", b"/search", b"/cart", b"/checkout", b"/account", b"/orders", b"/wishlist", b"/offers", b"/help"),
    *(b"/category/%d" % number for number in range(1, 11)),
    *(b"/product/%d" % number for number in range(1, 32)),
)


@dataclass(frozen=True, slots=True)
class Popularity:
    """Things by rank: the second is chosen half as often as the first, the third a third as often (Zipf)."""

    things: tuple[bytes, ...]
    bounds: tuple[float, ...]

    @classmethod
    def of(cls, things: tuple[bytes, ...]) -> Popularity:
        """Rank the things in the order given."""
        weights = [1 / rank for rank in range(1, len(things) + 1)]
        total = sum(weights)
        # The last bound is never drawn upon, so that rounding cannot lead past the last thing.
        bounds = tuple(weight / total for weight in accumulate(weights))[:-1]
        return cls(things, bounds)

    def choose(self, draw: float) -> bytes:
        """Return the thing for a draw in [0, 1)."""
        return self.things[bisect(self.bounds, draw)]


def users(count: int) -> Popularity:
    """Return that many people."""
    return Popularity.of(tuple(b"user-%04d" % number for number in range(1, count + 1)))


def pages() -> Popularity:
    """Return the pages of the shop."""
    return Popularity.of(PAGES)
