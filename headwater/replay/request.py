"""What a person asks for: which view to replay, from where, with which code.

The same record checks the form of the DAG and the options of the command, so both refuse the same things in
the same words. Nothing in it reaches a shell or an SQL string: names are looked up, offsets are numbers.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator

from headwater.forms import Form, View

EARLIEST = "earliest"
CURRENT = "current"
LARGEST_OFFSET = 2**63 - 1
LONGEST_PARTITION = 9  # digits


class ReplayRequest(Form):
    """One wish for a replay."""

    HINT: ClassVar[str] = (
        'Start is "earliest", a time with its zone such as 2026-01-31T12:00:00Z, or offsets such as '
        '{"0": 1200, "1": 1180, "2": 0}.'
    )

    view: View
    start: Annotated[str, Field(max_length=10_000)] = EARLIEST
    artifact: Annotated[str, Field(pattern=r"^(current|[0-9a-f]{16})$")] = CURRENT
    dry_run: bool = True
    approval: bool = True

    @field_validator("start")
    @classmethod
    def _check_start(cls, start: str) -> str:
        start = start.strip()
        if start != EARLIEST and offsets_in(start) is None and time_in(start) is None:
            raise ValueError("is neither earliest, nor a time with its zone, nor offsets as JSON")
        return start


def time_in(start: str) -> datetime | None:
    """Return the time that a start names, if it does; without a zone nobody can know which time it is."""
    try:
        time = datetime.fromisoformat(start)
        return time.astimezone(UTC) if time.tzinfo else None
    except (ValueError, OverflowError):  # a zone can lead out of the years that there are
        return None


def offsets_in(start: str) -> dict[str, Any] | None:
    """Return the offsets that a start names, if it does: by partition, or by topic and partition."""
    if not start.startswith("{"):
        return None
    try:
        named = json.loads(start)
    except (ValueError, RecursionError):
        return None
    return named if isinstance(named, dict) and named and _are_offsets(named) else None


def _are_offsets(named: dict[str, Any]) -> bool:
    inner = list(named.values())
    if all(isinstance(value, dict) and value for value in inner):
        return all(_is_offset(*item) for offsets in inner for item in offsets.items())
    return all(_is_offset(*item) for item in named.items())


def _is_offset(partition: str, offset: Any) -> bool:
    number = partition.isascii() and partition.isdecimal() and len(partition) <= LONGEST_PARTITION
    whole = isinstance(offset, int) and not isinstance(offset, bool)
    return number and whole and 0 <= offset <= LARGEST_OFFSET
