"""Who is busy, and who may come next: so that visits of one person are apart from each other."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from headwater.shop.people import People

BUSY = -1


class Presence:
    """People who are free, and those who are busy or rest until a time."""

    def __init__(self, people: People, draw: Callable[[], float]) -> None:
        self.people, self.draw = people, draw
        self.free = list(range(len(people)))
        self.place = list(range(len(people)))
        self.resting: list[tuple[int, int]] = []

    def take(self, now: int) -> int | None:
        """Return someone who is free, popular people first; no one if the rate leaves nobody time to rest."""
        while self.resting and self.resting[0][0] <= now:
            self._add(heappop(self.resting)[1])
        if not self.free:
            return None
        person = self.people.popularity.rank(self.draw())
        if self.place[person] == BUSY:
            person = self.free[int(self.draw() * len(self.free))]
        self._remove(person)
        return person

    def rest(self, person: int, until: int) -> None:
        """Let someone who was taken be free again at a time."""
        heappush(self.resting, (until, person))

    def _add(self, person: int) -> None:
        self.place[person] = len(self.free)
        self.free.append(person)

    def _remove(self, person: int) -> None:
        """Take someone off the list; the last one fills the gap."""
        last = self.free.pop()
        if last != person:
            self.free[self.place[person]] = last
            self.place[last] = self.place[person]
        self.place[person] = BUSY
