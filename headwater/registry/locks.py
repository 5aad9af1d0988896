"""Doing something alone: one at a time in the whole platform, for as long as it takes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.registry.database import connect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings


@contextmanager
def alone(settings: Settings, what: str) -> Iterator[None]:
    """Refuse to begin what is under way already."""
    with unless_under_way(settings, what) as free:
        if not free:
            raise Refusal(f"{what} is under way already", hint="Wait for its end; one at a time is enough.")
        yield


@contextmanager
def unless_under_way(settings: Settings, what: str) -> Iterator[bool]:
    """Say whether one may begin. Who dies lets go: the lock is the connection's."""
    with connect(settings) as registry:
        got = registry.execute("SELECT pg_try_advisory_lock(hashtext(%s)) AS got", [what]).fetchone()
        yield bool(got and got["got"])
