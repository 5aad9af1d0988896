"""Who comes to the shop: a few people make up most of the traffic, as in any shop."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

COUNTRIES = (b"DE", b"US", b"FR", b"GB", b"NL", b"PL", b"ES", b"IT", b"SE", b"JP")
PLANS = (b"free", b"plus", b"pro")


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

    def rank(self, draw: float) -> int:
        """Return the position of the thing for a draw in [0, 1)."""
        return bisect(self.bounds, draw)

    def choose(self, draw: float) -> bytes:
        """Return the thing for a draw in [0, 1)."""
        return self.things[bisect(self.bounds, draw)]


def popularity(count: int) -> Popularity:
    """Return so many people by their ids, the most popular first."""
    return Popularity.of(tuple(b"user-%04d" % number for number in range(1, count + 1)))


class People:
    """The shop's customers, each known by a number, with what the shop knows of them at the moment."""

    def __init__(self, count: int, draw: Callable[[], float]) -> None:
        self.popularity = popularity(count)
        self.ids = self.popularity.things
        at_home = Popularity.of(COUNTRIES)
        self.countries = [at_home.choose(draw()) for _ in self.ids]
        self.plans = [PLANS[int(draw() * draw() * len(PLANS))] for _ in self.ids]

    def __len__(self) -> int:
        return len(self.ids)


def another(things: tuple[bytes, ...], than: bytes, draw: float) -> bytes:
    """Return one of the things, but not this one."""
    return things[(things.index(than) + 1 + int(draw * (len(things) - 1))) % len(things)]
