"""Durations and sizes as people write them: "7 days", "256 kB"."""

from __future__ import annotations

import re
from datetime import timedelta

FOREVER = "forever"
DURATIONS = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
SIZES = {"B": 1, "kB": 1000, "KiB": 1024, "MB": 1000**2, "MiB": 1024**2, "GB": 1000**3, "GiB": 1024**3}
QUANTITY = re.compile(r"([0-9]{1,9}) ?([A-Za-z]+)", re.ASCII)
LONGEST = timedelta(days=36_500)


def read_duration(text: object) -> timedelta:
    """Read "7 days" or "1 hour"; refuse what is not a whole number of a known unit, or not positive."""
    number, unit = _split(text)
    name = unit.removesuffix("s")
    # The number is bounded before it is multiplied: timedelta overflows at some billion days.
    if name not in DURATIONS or not 0 < number <= LONGEST // DURATIONS[name]:
        raise ValueError(f'{text!r} is not a duration like "7 days" or "12 hours"')
    return number * DURATIONS[name]


def read_size(text: object) -> int:
    """Read "256 kB" or "1 MiB" as a number of bytes; kB is 1000 bytes, KiB is 1024."""
    number, unit = _split(text)
    if number <= 0 or unit not in SIZES:
        raise ValueError(f'{text!r} is not a size like "256 kB" or "1 MiB"')
    return number * SIZES[unit]


def write_size(size: float) -> str:
    """Write a number of bytes as people do: "256 kB"."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:,.0f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"


def _split(text: object) -> tuple[int, str]:
    """Return number and unit; (0, "") when the text does not have that shape."""
    matched = QUANTITY.fullmatch(text) if isinstance(text, str) else None
    return (int(matched[1]), matched[2]) if matched else (0, "")
