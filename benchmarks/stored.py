"""Stored queries: how many are in force, which is not how often somebody has turned to them.

Of a hundred turns 55 add a query, 25 change one and 20 delete one, and nobody keeps more than ten. So a
thousand turns leave 350 queries, and fifty thousand of a thousand people no more than ten thousand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.reading import places, read
from headwater.errors import Refusal
from headwater.shop import records

if TYPE_CHECKING:
    from headwater.shop import Simulation
    from tests.streams import Log

TOPIC = "stored_queries"
TURNS = 4  # for each query that is to be in force: more than enough
EACH = 5  # queries for each person, as a rule: well below the ten that somebody keeps at most


def turns_until(simulation: Simulation, wanted: int) -> int:
    """Return after how many turns of a simulation so many queries are in force."""
    in_force: set[bytes] = set()
    for turn, record in enumerate(records(simulation), start=1):
        _follow(in_force, record.key, record.value)
        if len(in_force) == wanted:
            return turn
    raise Refusal(f"{wanted:,} stored queries are not reached", hint="Give it more turns, or people.")


def refuse_unless_in_force(log: Log, wanted: int) -> None:
    """Refuse to measure with another number of queries than is said."""
    if (found := in_force(log)) != wanted:
        raise Refusal(
            f"{found:,} stored queries are in force, not {wanted:,}",
            detail="They were counted in the log: the newest record of each key that has a value.",
            hint="See how the shop's simulator adds and deletes them.",
        )


def in_force(log: Log) -> int:
    """Return how many queries a log holds that were not deleted."""
    end = places(replace(log, topics={TOPIC: log.topics[TOPIC]}))
    found: set[bytes] = set()
    for records_of_one_partition in read(log.settings, dict.fromkeys(end, 0), end):
        for record in records_of_one_partition:
            _follow(found, record.key, record.value)
    return len(found)


def _follow(in_force: set[bytes], key: bytes, value: bytes | None) -> None:
    if value is None:
        in_force.discard(key)
    else:
        in_force.add(key)
