"""Locks of the registry: one at a time, told by a name, and let go of by whoever dies."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater.registry.database import connect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings


@contextmanager
def held(settings: Settings, name: str) -> Iterator[bool]:
    """Hold a lock while the work goes on, on a connection of its own; say whether it was free."""
    with connect(settings) as registry:
        got = registry.execute("SELECT pg_try_advisory_lock(hashtext(%s)) AS got", [name]).fetchone()
        yield bool(got and got["got"])
