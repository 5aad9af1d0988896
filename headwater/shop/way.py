"""The way from the shop to the log, the same for every stream: here everything goes wrong that may.

    happened ──── hold ────► sent ── latency ──► received      (the server's clock)

A device that is offline holds an event back; that alone makes it out of order, or late. The record's
timestamp is received_at. sent_at and occurred_at are what the device's clock showed, so a wrong clock shifts
both alike, and `received_at - (sent_at - occurred_at)` is when it happened, whatever the clock.

Changelogs are written by the shop itself and not by devices. Their records arrive when they happen, and all
that may be wrong with one is that its JSON is broken.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from functools import cache
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from headwater.shop.events import CHANGE, EVENT, Event
from headwater.shop.flaws import BROKEN_JSON, spoil
from headwater.shop.record import Record
from headwater.shop.simulation import SHARES, Simulation, milliseconds
from headwater.topics import load_topics

if TYPE_CHECKING:
    from collections.abc import Callable

    from headwater.shop.shop import Shop

PLAIN, HELD, MALFORMED = "plain", "held", "malformed"
LONGEST_LATENCY = 300
LONGEST_DISORDER = 30_000
SHORTEST_CLOCK_ERROR, LONGEST_CLOCK_ERROR = 120_000, 6 * 3_600_000
REPEATED_WITHIN_SECONDS = 10
MOST_REMEMBERED = 100_000

declared = cache(load_topics)


class Way:
    """The state of one run: what was sent lately, and what devices hold back."""

    def __init__(self, simulation: Simulation, shop: Shop, prefix: bytes, draw: Callable[[], float]) -> None:
        self.simulation, self.shop, self.prefix, self.draw = simulation, shop, prefix, draw
        self.partition = simulation.partition
        self.thresholds = _thresholds(simulation)
        self.lateness, self.latest = milliseconds(simulation.lateness), milliseconds(simulation.latest)
        remembered = min(MOST_REMEMBERED, max(1, round(simulation.rate * REPEATED_WITHIN_SECONDS)))
        self.sent: deque[tuple[Event, Record]] = deque(maxlen=remembered if simulation.repeated else 0)
        self.waiting: list[tuple[int, int, int, str, Event]] = []
        self.arrived: Counter[str] = Counter()
        self.numbered = 0
        self.spoilt = 0
        self.repeats = 0

    def record(self, due: int, arrival: int) -> Record:
        """Return the record whose moment it is; `arrival` is later than its moment during an outage."""
        if self.waiting and self.waiting[0][0] <= due:
            return self.arrive(arrival)
        if self.thresholds and (kind := self.kind()) != PLAIN:
            return self.gone_wrong(kind, due, arrival)
        return self.plain(self.shop.next(due), due, arrival)

    def kind(self) -> str:
        """Draw what becomes of the next record."""
        drawn = self.draw()
        for threshold, kind in self.thresholds:
            if drawn < threshold:
                return kind
        return PLAIN

    def gone_wrong(self, kind: str, due: int, arrival: int) -> Record:
        """Return a record of this kind; a plain one where that cannot be."""
        if kind == "repeated" and self.sent:
            return self.repeat(arrival)
        if kind == MALFORMED:
            return self.malformed(due, arrival)
        event = self.shop.next(due)
        if kind == "wrong_clock" and not event.stream.changelog:
            return self.event(event, due, arrival, kind, self.clock_error())
        if kind in ("out_of_order", "late") and not event.stream.changelog:
            return self.hold_back(event, kind, due, arrival)
        return self.plain(event, due, arrival)

    def plain(self, event: Event, due: int, arrival: int) -> Record:
        """Send an event at once; one that gets through at once may be sent again."""
        if event.stream.changelog:
            return self.change(event, due)
        if arrival > due:
            return self.event(event, due, arrival, HELD)
        record = self.event(event, due, arrival, PLAIN)
        self.sent.append((event, record))
        return record

    def hold_back(self, event: Event, kind: str, due: int, arrival: int) -> Record:
        """Let a device keep an event to itself for some time, and an older one arrive in its place.

        The older one belongs to no story: it happened before the simulation began, or unnoticed. So the share
        is right from the first record on. Once events that were held back arrive, they count instead.
        """
        if self.arrived[kind]:
            self.arrived[kind] -= 1
            return self.plain(event, due, arrival)
        older = self.shop.lone(due, changelogs=False)
        if older is None:
            return self.plain(event, due, arrival)
        self.numbered += 1
        heappush(self.waiting, (due + self.hold(kind), self.numbered, due, kind, event))
        return self.event(older, due - self.hold(kind), arrival, kind)

    def arrive(self, arrival: int) -> Record:
        """Let an event arrive that was held back."""
        _, _, happened, kind, event = heappop(self.waiting)
        self.arrived[kind] += 1
        return self.event(event, happened, arrival, kind)

    def hold(self, kind: str) -> int:
        """Return for how long a device keeps an event to itself."""
        if kind == "out_of_order":
            return 1 + int(self.draw() * min(LONGEST_DISORDER, self.lateness // 2))
        return self.lateness + 1 + int(self.draw() * (self.latest - self.lateness))

    def clock_error(self) -> int:
        """Return by how much a wrong clock is ahead; less than zero if it is behind."""
        error = SHORTEST_CLOCK_ERROR + int(self.draw() * (LONGEST_CLOCK_ERROR - SHORTEST_CLOCK_ERROR))
        return error if self.draw() < 0.5 else -error

    def malformed(self, due: int, arrival: int) -> Record:
        """Spoil an event that belongs to no story, so that stories stay whole; the flaws take turns."""
        flaw = self.simulation.flaws[self.spoilt % len(self.simulation.flaws)]
        event = self.shop.lone(due, changelogs=flaw == BROKEN_JSON)
        if event is None:
            return self.plain(self.shop.next(due), due, arrival)
        self.spoilt += 1
        changelog = event.stream.changelog
        good = self.change(event, due) if changelog else self.event(event, due, arrival, MALFORMED)
        spoilt = spoil(flaw, good.value or b"", declared()[event.stream.name])
        return good._replace(value=spoilt, kind=MALFORMED, flaw=flaw, happened_at=good.received_at)

    def repeat(self, arrival: int) -> Record:
        """Send an event again: as it was, or, as a device without an answer does, with a new sent_at."""
        event, record = self.sent[int(self.draw() * len(self.sent))]
        self.repeats += 1
        value = record.value or b""
        if self.repeats % 2 == 0:
            latency = 1 + int(self.draw() * LONGEST_LATENCY)
            occurred = json.loads(value)["occurred_at"]
            value = EVENT % (record.event_id.encode(), event.fields, occurred, arrival - latency)
        return record._replace(value=value, received_at=arrival, kind="repeated")

    def event(self, event: Event, happened: int, arrival: int, kind: str, ahead: int = 0) -> Record:
        """Write an event as a device does whose clock is ahead by so much."""
        stream, key, fields, story = event
        self.numbered += 1
        event_id = b"%b%x" % (self.prefix, self.numbered)
        shown = ahead - 1 - int(self.draw() * LONGEST_LATENCY)
        value = EVENT % (event_id, fields, happened + shown, arrival + shown)
        known = event_id.decode()
        return Record(stream.topic, key, value, arrival, self.partition, kind, "", known, happened, story)

    def change(self, event: Event, due: int) -> Record:
        """Write a record of a changelog."""
        stream, key, fields, story = event
        value = None if fields is None else CHANGE % fields
        return Record(stream.topic, key, value, due, self.partition, PLAIN, "", "", due, story)


def _thresholds(simulation: Simulation) -> tuple[tuple[float, str], ...]:
    """Return, for each kind, the draw below which it is chosen; kinds with no share are left out."""
    total, thresholds = 0.0, []
    for kind in SHARES:
        if share := getattr(simulation, kind):
            total += share
            thresholds.append((total, kind))
    return tuple(thresholds)
