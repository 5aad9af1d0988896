"""Which queries of an app may start: a few at a time, and all in the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spark_apps.stream import AT_ONCE, next_to_start


@dataclass
class Standing:
    """Where a query stands; it needs no Spark to stand there."""

    name: int
    waiting: bool = True
    phase: str = "catching up"


def started(queries: list[Any]) -> list[int]:
    return [query.name for query in next_to_start(queries)]


def test_first_few_start_in_their_order() -> None:
    assert started([Standing(name) for name in range(9)]) == list(range(AT_ONCE))


def test_next_one_starts_when_one_has_caught_up() -> None:
    queries = [Standing(name, waiting=name >= AT_ONCE) for name in range(9)]
    assert started(queries) == []
    queries[2].phase = "live"
    assert started(queries) == [AT_ONCE]


def test_nothing_is_left_to_start_once_all_are_live() -> None:
    assert started([Standing(name, waiting=False, phase="live") for name in range(9)]) == []
