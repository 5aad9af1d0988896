"""A log that grows: seeded events of a busy shop, some of which are repeated, late, out of order or broken.

The rate stays the same, so a larger log is a longer one, and the larger one begins with the smaller. Two
processes write, a share of the visitors each, because one core makes 54,000 events a second only. They wait
for each other every few minutes of the log's time, as no door is days ahead of another.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.shop import Counts, Simulation, records
from headwater.shop.flaws import FLAWS
from headwater.shop.loading import load
from headwater.shop.progress import Progress
from tests.streams import new_log

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.synchronize import Barrier

    from headwater.settings import Settings
    from headwater.shop.record import Record
    from tests.streams import Log

WRITERS = 2
RATE = float(os.environ.get("RATE", "200"))  # events a second, of all writers
USERS = round(300 * RATE)  # so many that visits end
IN_STEP = 10_000  # records after which writers wait for each other
PATIENCE_SECONDS = 120.0
OUT_OF_ORDER, LATE, REPEATED, WRONG_CLOCK, MALFORMED = 0.02, 0.005, 0.01, 0.01, 0.0005
# All but those that would make it a log of a few large records.
SMALL_FLAWS = tuple(flaw for flaw in FLAWS if flaw != "too_large")


@dataclass(slots=True)
class GrowingLog:
    """A log, when it begins, and how many events it holds."""

    log: Log
    start: datetime
    events: int = 0

    def grow(self, events: int) -> None:
        """Let it hold so many events."""
        more = events - self.events
        context = multiprocessing.get_context("spawn")
        step = context.Barrier(WRITERS, timeout=PATIENCE_SECONDS)
        writers = [
            context.Process(target=write, args=(self.log.settings, self.part(writer, more), step))
            for writer in range(WRITERS)
        ]
        for process in writers:
            process.start()
        for process in writers:
            process.join()
        if any(process.exitcode for process in writers):
            raise Refusal("the log could not be written", hint="What a writer said stands above.")
        self.events = events

    def part(self, writer: int, events: int) -> Simulation:
        """Return what one of the writers has to write."""
        return Simulation(
            seed=self.events * WRITERS + writer,
            rate=RATE / WRITERS,
            start=self.start + timedelta(seconds=self.events / RATE),
            count=events // WRITERS,
            streams=tuple(self.log.topics),
            suffix=self.log.suffix,
            users=USERS,
            out_of_order=OUT_OF_ORDER,
            late=LATE,
            repeated=REPEATED,
            wrong_clock=WRONG_CLOCK,
            malformed=MALFORMED,
            flaws=SMALL_FLAWS,
        )


def growing_log(settings: Settings, topics: tuple[str, ...], most: int) -> GrowingLog:
    """Return an empty log that will have ended by now when it holds so many events."""
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    return GrowingLog(log=new_log(settings, *topics), start=now - timedelta(seconds=most / RATE))


def write(settings: Settings, simulation: Simulation, step: Barrier) -> None:
    """Write one part, in a process of its own."""
    counts = Counts()
    coming = _in_step(records(simulation), step)
    load(settings, coming, counts, Progress(counts, lambda _: None), threading.Event())


def _in_step(coming: Iterator[Record], step: Barrier) -> Iterator[Record]:
    for number, record in enumerate(coming):
        if number % IN_STEP == 0:
            step.wait()
        yield record
