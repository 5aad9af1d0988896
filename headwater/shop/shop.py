"""The shop: what happens in it next.

First whatever is on the agenda and due, since stories go on; otherwise a stream gets the turn to begin
something, by its weight. So the shares of the streams are kept at any rate, and every moment has its event.
"""

from __future__ import annotations

from bisect import bisect
from heapq import heappop, heappush
from itertools import accumulate
from typing import TYPE_CHECKING

from headwater.shop.people import People
from headwater.shop.streams import STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from headwater.people import Seal
    from headwater.shop.events import Event
    from headwater.shop.simulation import Simulation
    from headwater.shop.streams import Stream

    Continuation = Callable[[int], Event]


class Shop:
    """The people, the streams and the agenda of one run."""

    def __init__(self, simulation: Simulation, prefix: bytes, draw: Callable[[], float], seal: Seal) -> None:
        self.draw, self.prefix, self.seal = draw, prefix, seal
        self.suffix = simulation.suffix
        self.pause = 1000 / simulation.rate
        self.people = People(simulation.users, draw)
        self.named = 0
        self.noted = 0
        self.agenda: list[tuple[float, int, Continuation]] = []
        self.streams: dict[str, Stream] = {name: STREAMS[name](self) for name in simulation.streams}
        self.turns = Turns(list(self.streams.values()))
        self.only = self.turns.streams[0] if len(self.streams) == 1 else None
        self.lone_turns = Turns([stream for stream in self.streams.values() if not stream.changelog])

    def next(self, now: int) -> Event:
        """Return what happens now."""
        agenda = self.agenda
        if agenda and agenda[0][0] <= now:
            event = heappop(agenda)[2](now)
            event.stream.ahead += 1
            return event
        return (self.only or self.turns.next(self.draw)).begin(now)

    def lone(self, now: int, *, changelogs: bool) -> Event | None:
        """Return an event without a story; none if only changelogs are simulated and they are not wanted."""
        turns = self.turns if changelogs else self.lone_turns
        return turns.any(self.draw).lone(now) if turns.streams else None

    def later(self, when: float, continuation: Continuation) -> None:
        """Put something on the agenda."""
        self.noted += 1
        heappush(self.agenda, (when, self.noted, continuation))

    def name(self, kind: bytes) -> bytes:
        """Return a name that nothing else has, in this run or another."""
        self.named += 1
        return b"%b-%b%x" % (kind, self.prefix, self.named)


class Turns:
    """Chooses whose turn it is to begin something."""

    def __init__(self, streams: list[Stream]) -> None:
        self.streams = streams
        total = sum(stream.turns for stream in streams)
        self.bounds = [bound / total for bound in accumulate(stream.turns for stream in streams)][:-1]

    def any(self, draw: Callable[[], float]) -> Stream:
        """Choose by weight."""
        return self.streams[bisect(self.bounds, draw())] if self.bounds else self.streams[0]

    def next(self, draw: Callable[[], float]) -> Stream:
        """Choose by weight; a stream whose stories have sent events gives as many turns away."""
        while True:
            stream = self.streams[bisect(self.bounds, draw())]
            if not (stream.repays and stream.ahead):
                return stream
            stream.ahead -= 1
