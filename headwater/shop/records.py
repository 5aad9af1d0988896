"""The records of a simulation, in the order in which they arrive. A pure generator: it reads no clock.

The rate is the rate of arrivals: each record has its moment, evenly spaced. What arrives then is decided by
the way there (`way.py`), what happens in the shop by the shop (`shop.py`).
"""

from __future__ import annotations

from itertools import count as numbers
from random import Random
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.people import Seal, in_the_clear
from headwater.shop.shop import Shop
from headwater.shop.simulation import Outage, Simulation, milliseconds
from headwater.shop.way import Way

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from headwater.shop.record import Record


def records(
    simulation: Simulation, now: datetime | None = None, seal: Seal = in_the_clear
) -> Iterator[Record]:
    """Generate the records. A simulation without a start begins `now`; without an end it never ends.

    What is personal is sealed as it is made: what goes wrong on the way happens to what is sealed.
    """
    begin = simulation.start or now
    if begin is None:
        raise Refusal("a live simulation has no start yet", hint="Say what time it is now.")
    start = round(begin.timestamp() * 1000)
    # The seed is text: it gives unrelated sequences for seeds that are close.
    draw = Random(f"headwater shop {simulation.seed}").random
    prefix = b"%x-%x-" % (start, simulation.seed)
    way = Way(simulation, Shop(simulation, prefix, draw, seal), prefix, draw)
    moments = _moments(simulation, start)
    if simulation.outage is None:
        return (way.record(due, due) for due in moments)
    return _through_outage(way, moments, start, simulation.outage)


def _moments(simulation: Simulation, start: int) -> Iterator[int]:
    """Return when records arrive: evenly, so many a second."""
    pause = 1000 / simulation.rate
    end = None if simulation.duration is None else start + milliseconds(simulation.duration)
    for number in numbers() if simulation.count is None else range(simulation.count):
        due = start + int(number * pause)
        if end is not None and due >= end:
            return
        yield due


def _through_outage(way: Way, moments: Iterator[int], start: int, outage: Outage) -> Iterator[Record]:
    """Keep what devices send during the outage until its end; changelogs, sent by no device, get through."""
    begin = start + milliseconds(outage.after)
    end = begin + milliseconds(outage.lasting)
    kept: list[Record] = []
    for due in moments:
        if due >= end:
            yield from kept
            kept.clear()
        record = way.record(due, end if begin <= due < end else due)
        if record.received_at > due:
            kept.append(record)
        else:
            yield record
    yield from kept
