"""Waiting for a condition, with a deadline."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PAUSE = 0.25


def wait_until_nothing_is_missing(missing: Callable[[], str], seconds: float) -> str:
    """Ask until `missing` returns nothing or the time is up; return what is missing then."""
    deadline = time.monotonic() + seconds
    while answer := missing():
        if time.monotonic() >= deadline:
            return answer
        time.sleep(PAUSE)
    return ""
