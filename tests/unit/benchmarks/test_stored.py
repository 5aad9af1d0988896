"""Stored queries: those that are in force are counted, not the turns in which people add and delete them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from benchmarks.stored import EACH, TOPIC, TURNS, turns_until
from headwater.errors import Refusal
from headwater.shop import Simulation, records

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)


def simulation(queries: int) -> Simulation:
    return Simulation(seed=3, streams=(TOPIC,), start=MONDAY, count=queries * TURNS, users=queries // EACH)


@pytest.mark.parametrize("queries", [100, 1000, 20_000])
def test_so_many_queries_are_in_force_after_that_many_turns(queries: int) -> None:
    turns = turns_until(simulation(queries), queries)
    newest = {record.key: record.value for record in records(replace(simulation(queries), count=turns))}
    assert sum(value is not None for value in newest.values()) == queries
    assert turns > 2 * queries


def test_more_queries_than_people_keep_are_refused() -> None:
    few = replace(simulation(1000), users=10)
    with pytest.raises(Refusal, match="1,000 stored queries are not reached"):
        turns_until(few, 1000)
