"""What to simulate: which streams, how many events, over which time, and how much goes wrong on the way.

    Simulation(seed=7, rate=100, start=monday, duration=timedelta(hours=1), late=0.02, repeated=0.05)
    Simulation(streams=("searches", "result_clicks"), rate=5)

The rate is that of all streams together. Of a thousand records so many are of each, by their `weight`:

    page_views  330     impressions  80     searches       60     logins         40     listings        28
    requests    330     clicks       30     result_clicks  28     purchases      20     stored_queries   6
                                                                  cart_commands  40     user_changelog   8

Where only some streams are asked for, the weights hold among them. The shares of what goes wrong are parts of
all records, each between 0 and 1; what remains are plain events.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from headwater.errors import Refusal
from headwater.shop.flaws import FLAWS
from headwater.shop.streams import STREAMS

SHARES = ("out_of_order", "late", "repeated", "wrong_clock", "malformed")
MOST_USERS = 10_000_000


class Outage(NamedTuple):
    """A time in which nothing gets through: devices hold their events back and send them all at its end."""

    after: timedelta
    lasting: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """The options of a simulation. The same options give the same bytes, ids included.

    Without `start` the simulation is live: it begins when it is sent, and keeps pace with the clock.
    """

    seed: int = 1
    rate: float = 10.0
    start: datetime | None = None
    duration: timedelta | None = None
    count: int | None = None
    streams: tuple[str, ...] = tuple(STREAMS)
    suffix: str = ""
    """Added to the name of every topic: `_test` sends page views to the topic page_views_test."""
    users: int = 1000
    changes: float = 0.0
    """Rows that change in the shop's database, a second, by the clerk; live only."""
    partition: int | None = None
    """Send everything to this partition, whatever the key: to build logs whose partitions are skewed."""

    out_of_order: float = 0.0
    """Arrives some seconds after it happened, when later events are already there."""
    late: float = 0.0
    """Arrives later than `lateness` after it happened."""
    repeated: float = 0.0
    """The same event again, some seconds later; every other one with a new sent_at."""
    wrong_clock: float = 0.0
    """The device's clock is minutes or hours ahead or behind."""
    malformed: float = 0.0
    """Cannot be used; the flaws take turns."""

    flaws: tuple[str, ...] = tuple(FLAWS)
    lateness: timedelta = timedelta(minutes=10)
    latest: timedelta = timedelta(hours=6)
    outage: Outage | None = None

    def __post_init__(self) -> None:
        _check_streams(self)
        _check_shares(self)
        _check_amounts(self)
        _check_times(self)

    @property
    def topics(self) -> tuple[str, ...]:
        """Return the names of the topics that it is sent to."""
        return tuple(stream + self.suffix for stream in self.streams)


def milliseconds(duration: timedelta) -> int:
    """Return a duration as the records count it."""
    return round(duration.total_seconds() * 1000)


def _check_streams(simulation: Simulation) -> None:
    every = f"Choose from: {', '.join(STREAMS)}."
    if not simulation.streams:
        raise Refusal("no stream is asked for", hint=every)
    if strange := sorted(set(simulation.streams) - STREAMS.keys()):
        raise Refusal(f'stream "{strange[0]}" does not exist', hint=every)
    if len(set(simulation.streams)) < len(simulation.streams):
        raise Refusal("a stream is asked for twice", detail=", ".join(simulation.streams))
    if not re.fullmatch("[a-z0-9_]*", simulation.suffix):
        raise Refusal(
            f'no topic can end with "{simulation.suffix}"',
            hint="Choose small letters, digits and underscores.",
        )


def _check_shares(simulation: Simulation) -> None:
    shares = {name: getattr(simulation, name) for name in SHARES}
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise Refusal(f'share "{name}" is {share}', hint="Choose a number between 0 and 1.")
    if sum(shares.values()) > 1 + 1e-9:
        raise Refusal(
            f"the shares add up to {sum(shares.values()):g}",
            detail=", ".join(f"{name} {share:g}" for name, share in shares.items()),
            hint="Each record is of one kind: choose shares that add up to at most 1.",
        )
    if strange := sorted(set(simulation.flaws) - FLAWS.keys()):
        raise Refusal(f'flaw "{strange[0]}" does not exist', hint=f"Choose from: {', '.join(FLAWS)}.")
    if simulation.malformed and not simulation.flaws:
        raise Refusal("malformed events are asked for, but no flaw", hint=f"Choose from: {', '.join(FLAWS)}.")


def _check_amounts(simulation: Simulation) -> None:
    if not 0 < simulation.rate <= 1_000_000:
        raise Refusal(
            f"a rate of {simulation.rate:g} events a second cannot be simulated", hint="Choose one above 0."
        )
    if not 0 <= simulation.changes <= 10_000:
        raise Refusal(f"{simulation.changes:g} changes a second cannot be made", hint="Choose 0 or more.")
    for name in ("count", "users"):
        number = getattr(simulation, name)
        if number is not None and number < 1:
            raise Refusal(f'"{name}" is {number}', hint="Choose at least 1.")
    if simulation.users > MOST_USERS:
        raise Refusal(f"{simulation.users:,} people are too many", hint=f"Choose at most {MOST_USERS:,}.")
    if simulation.partition is not None and simulation.partition < 0:
        raise Refusal(f'"partition" is {simulation.partition}', hint="Partitions are counted from 0.")


def _check_times(simulation: Simulation) -> None:
    if simulation.start is not None:
        if simulation.start.tzinfo is None:
            raise Refusal(f"start {simulation.start} has no time zone", hint="Add one, for example +00:00.")
        if simulation.count is None and simulation.duration is None:
            raise Refusal("a simulation with a start needs an end", hint="Give a count or a duration.")
    if simulation.duration is not None and simulation.duration <= timedelta(0):
        raise Refusal(f"a duration of {simulation.duration} is over before it starts")
    outage = simulation.outage
    if outage is not None and (outage.after < timedelta(0) or outage.lasting <= timedelta(0)):
        raise Refusal(
            f"an outage after {outage.after} for {outage.lasting} cannot be",
            hint="It begins at or after the start and lasts some time.",
        )
    if not timedelta(0) < simulation.lateness < simulation.latest <= timedelta(hours=23):
        raise Refusal(
            f"late events cannot be later than {simulation.lateness} and at most {simulation.latest}",
            hint="Choose a lateness above 0 and a longer `latest` of at most 23 hours.",
        )
