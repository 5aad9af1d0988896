"""The key of a row, as a person writes it: `minute_at=2026-11-17T10:05:00Z page=/cart`.

In one word or in several; a value ends where the next column begins, so it may have spaces in it. What comes
out is text again, of the column's type beyond doubt, with times in UTC.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.replay.request import time_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LARGEST = 2**63 - 1


def read_key(words: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    """Read the key of a row, given the key columns with their types; refuse what is not just that."""
    text = " ".join(words).strip()
    named = "|".join(re.escape(name) for name in columns)
    before, *parts = re.split(rf"(?:^|\s+)({named})=", text)
    names, values = parts[::2], [value.strip() for value in parts[1::2]]
    found = dict(zip(names, values, strict=True))
    if before.strip() or len(found) < len(names) or found.keys() != columns.keys():
        raise _refusal(text, columns, "It names each of these columns once, and nothing else.")
    return {name: _read(text, columns, name, found[name]) for name in columns}


def write_key(key: Mapping[str, str]) -> str:
    """Write a key as `read_key` reads it."""
    return " ".join(f"{name}={value}" for name, value in key.items())


def _read(text: str, columns: Mapping[str, str], name: str, value: str) -> str:
    reader, kind = READERS.get(columns[name], (_as_it_is, "a text"))
    read = reader(value)
    if read is None:
        raise _refusal(text, columns, f'"{name}" is {kind}.')
    return read


def _refusal(text: str, columns: Mapping[str, str], detail: str) -> Refusal:
    shown = text if len(text) <= 60 else f"{text[:60]}…"
    example = " ".join(f"{name}={EXAMPLES.get(kind, '…')}" for name, kind in columns.items())
    return Refusal(
        f'"{shown}" is no key of this view',
        detail=f"Its key columns: {', '.join(columns)}. {detail}",
        hint=f"Write it like: {example}",
    )


def _as_it_is(value: str) -> str | None:
    return value


def _moment(value: str) -> str | None:
    time = time_in(value)
    return time.isoformat() if time else None


def _whole_number(value: str) -> str | None:
    digits = value.removeprefix("-")
    fits = digits.isascii() and digits.isdecimal() and len(digits) < 20 and int(digits) <= LARGEST
    return str(int(value)) if fits else None


READERS: dict[str, tuple[Callable[[str], str | None], str]] = {
    "TIMESTAMP": (_moment, "a time with its zone"),
    "BIGINT": (_whole_number, "a whole number"),
    "INT": (_whole_number, "a whole number"),
}
EXAMPLES = {"TIMESTAMP": "2026-11-17T10:05:00Z", "BIGINT": "5", "INT": "5"}
