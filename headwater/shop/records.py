"""The records of a simulation, in the order in which they arrive. A pure generator: it reads no clock.

    happened ──── hold ────► sent ── latency ──► received      (the server's clock)

A device that is offline holds an event back; that alone makes it out of order, or late. The record's
timestamp is received_at. sent_at and occurred_at are what the device's clock showed, so a wrong clock shifts
both alike, and `received_at - (sent_at - occurred_at)` is when it happened, whatever the clock.
"""

from __future__ import annotations

from collections import deque
from itertools import count as numbers
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from headwater.errors import Refusal
from headwater.shop.flaws import FLAWS
from headwater.shop.page_views import PageView, encode
from headwater.shop.people import pages, users
from headwater.shop.simulation import SHARES, Simulation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime, timedelta

PLAIN, HELD = "plain", "held"
LONGEST_LATENCY = 300
LONGEST_DISORDER = 30_000
SHORTEST_CLOCK_ERROR, LONGEST_CLOCK_ERROR = 120_000, 6 * 3_600_000
REPEATED_WITHIN_SECONDS = 10
MOST_REMEMBERED = 100_000
WITH_REFERRER = 0.25


class Record(NamedTuple):
    """One record of the log, and the truth about it for tests to count with. Times are epoch milliseconds."""

    topic: str
    key: bytes
    value: bytes | None
    received_at: int
    partition: int | None
    kind: str
    """plain, held (by an outage), out_of_order, late, repeated, wrong_clock or malformed."""
    flaw: str
    """What is wrong with a malformed record; empty for all others."""
    event_id: str
    happened_at: int
    """When it happened, by the server's clock: the event time that a right correction finds."""


class Sent(NamedTuple):
    """A plain event that was sent, remembered because it may be sent again."""

    view: PageView
    value: bytes
    happened_at: int


def records(simulation: Simulation, now: datetime | None = None) -> Iterator[Record]:
    """Generate the records. A simulation without a start begins `now`; without an end it never ends."""
    start = simulation.start or now
    if start is None:
        raise Refusal("a live simulation has no start yet", hint="Say what time it is now.")
    return _Shop(simulation, start).records()


class _Shop:
    """The state of one run: the dice, and what was sent lately."""

    def __init__(self, simulation: Simulation, start: datetime) -> None:
        self.simulation = simulation
        self.start = round(start.timestamp() * 1000)
        # Of the module's generators only random() promises the same numbers in every Python, so nothing else
        # is drawn here. The seed is text: it gives unrelated sequences for seeds that are close.
        self.draw = Random(f"headwater shop {simulation.seed}").random
        self.users, self.pages = users(simulation.users), pages()
        self.thresholds = _thresholds(simulation)
        self.lateness, self.latest = _milliseconds(simulation.lateness), _milliseconds(simulation.latest)
        self.outage = _outage(simulation)
        self.prefix = b"%x-%x-" % (self.start, simulation.seed)
        remembered = min(MOST_REMEMBERED, max(1, round(simulation.rate * REPEATED_WITHIN_SECONDS)))
        self.sent: deque[Sent] = deque(maxlen=remembered)
        self.flawed = 0
        self.repeats = 0

    def records(self) -> Iterator[Record]:
        pause = 1000 / self.simulation.rate
        end = None if self.simulation.duration is None else _milliseconds(self.simulation.duration)
        for number in numbers() if self.simulation.count is None else range(self.simulation.count):
            elapsed = int(number * pause)
            if end is not None and elapsed >= end:
                return
            yield self.record(number, elapsed)

    def record(self, number: int, elapsed: int) -> Record:
        due = self.start + elapsed
        begin, end = self.outage
        arrival = self.start + end if begin <= elapsed < end else due
        kind = self.kind()
        if kind == "repeated":
            return self.repeat(arrival)
        if kind == PLAIN and arrival > due:
            kind = HELD
        happened = due - self.hold(kind)
        view = self.view(number, happened, arrival)
        if kind == "malformed":
            return self.malformed(view, arrival)
        if kind == "wrong_clock":
            view = self.shifted(view)
        value = encode(view)
        if kind == PLAIN:
            self.sent.append(Sent(view, value, happened))
        return self.finished(view, value, arrival, kind, happened)

    def kind(self) -> str:
        drawn = self.draw()
        for threshold, kind in self.thresholds:
            if drawn < threshold:
                return kind if kind != "repeated" or self.sent else PLAIN
        return PLAIN

    def hold(self, kind: str) -> int:
        """Return for how long the device keeps the event to itself."""
        if kind == "out_of_order":
            return 1 + int(self.draw() * min(LONGEST_DISORDER, self.lateness // 2))
        if kind == "late":
            return self.lateness + 1 + int(self.draw() * (self.latest - self.lateness))
        return 0

    def view(self, number: int, happened: int, arrival: int) -> PageView:
        latency = 1 + int(self.draw() * LONGEST_LATENCY)
        page = self.pages.choose(self.draw())
        referrer = self.pages.choose(self.draw()) if self.draw() < WITH_REFERRER else None
        user = self.users.choose(self.draw())
        return PageView(
            self.prefix + b"%x" % number, user, page, referrer, happened - latency, arrival - latency
        )

    def shifted(self, view: PageView) -> PageView:
        error = SHORTEST_CLOCK_ERROR + int(self.draw() * (LONGEST_CLOCK_ERROR - SHORTEST_CLOCK_ERROR))
        error = error if self.draw() < 0.5 else -error
        return view._replace(occurred_at=view.occurred_at + error, sent_at=view.sent_at + error)

    def malformed(self, view: PageView, arrival: int) -> Record:
        flaws = self.simulation.flaws
        flaw = flaws[self.flawed % len(flaws)]
        self.flawed += 1
        return self.finished(view, FLAWS[flaw](view), arrival, "malformed", arrival, flaw)

    def repeat(self, arrival: int) -> Record:
        """Send an event again: as it was, or, as a device without an answer does, with a new sent_at."""
        earlier = self.sent[int(self.draw() * len(self.sent))]
        self.repeats += 1
        value = earlier.value
        if self.repeats % 2 == 0:
            latency = 1 + int(self.draw() * LONGEST_LATENCY)
            value = encode(earlier.view._replace(sent_at=arrival - latency))
        return self.finished(earlier.view, value, arrival, "repeated", earlier.happened_at)

    def finished(
        self, view: PageView, value: bytes | None, arrival: int, kind: str, happened: int, flaw: str = ""
    ) -> Record:
        topic, partition = self.simulation.topic, self.simulation.partition
        event_id = view.event_id.decode()
        return Record(topic, view.user_id, value, arrival, partition, kind, flaw, event_id, happened)


def _thresholds(simulation: Simulation) -> tuple[tuple[float, str], ...]:
    """Return, for each kind, the draw below which it is chosen; kinds with no share are left out."""
    total, thresholds = 0.0, []
    for kind in SHARES:
        if share := getattr(simulation, kind):
            total += share
            thresholds.append((total, kind))
    return tuple(thresholds)


def _outage(simulation: Simulation) -> tuple[int, int]:
    """Return begin and end of the outage, counted from the start; both are 0 when there is none."""
    if simulation.outage is None:
        return 0, 0
    begin = _milliseconds(simulation.outage.after)
    return begin, begin + _milliseconds(simulation.outage.lasting)


def _milliseconds(duration: timedelta) -> int:
    return round(duration.total_seconds() * 1000)
