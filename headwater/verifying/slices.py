"""A slice of time, as a person writes it: `2026-11-16T10:00:00Z/2026-11-16T12:00:00Z`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.replay.request import time_in

if TYPE_CHECKING:
    from datetime import datetime


def read_slice(text: str) -> tuple[datetime, datetime]:
    """Read the first moment of a slice, and the first one after it."""
    first, after = (time_in(part) for part in [*text.split("/"), "", ""][:2])
    if text.count("/") != 1 or first is None or after is None or first >= after:
        raise Refusal(
            f'"{text[:60]}" is no slice of time',
            detail="It is two times with their zones, the earlier one first, and a slash between them.",
            hint="Write it like 2026-11-16T10:00:00Z/2026-11-16T12:00:00Z.",
        )
    return first, after
