"""What a person asks for: which view to replay, how, from where, with which code.

The same record checks the form of the DAG and the options of the command, so both refuse the same things in
the same words. Nothing in it reaches a shell or an SQL string: names are looked up, offsets are numbers.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, ValidationInfo, field_validator

from headwater.bounds import OLDEST
from headwater.forms import Form, View

EARLIEST = "earliest"
CURRENT = "current"
REBUILD, BACKFILL = "rebuild", "backfill"
LARGEST_OFFSET = 2**63 - 1
LONGEST_PARTITION = 9  # digits
LONGEST_PLACE = 10_000  # letters: offsets of many partitions
MOST_LATE = OLDEST // timedelta(minutes=1)


class ReplayRequest(Form):
    """One wish for a replay: a rebuild from `start` on, or a backfill of what lies between two places."""

    HINT: ClassVar[str] = (
        'Start is "earliest", a time with its zone such as 2026-01-31T12:00:00Z, or offsets such as '
        '{"0": 1200, "1": 1180, "2": 0}. A backfill has an end of the same kind.'
    )

    view: View
    kind: Literal["rebuild", "backfill"] = "rebuild"
    start: Annotated[str, Field(max_length=LONGEST_PLACE, validate_default=True)] = EARLIEST
    until: Annotated[str | None, Field(max_length=LONGEST_PLACE, validate_default=True)] = None
    lateness: Annotated[int | None, Field(ge=1, le=MOST_LATE)] = None  # of a backfill, in minutes
    artifact: Annotated[str, Field(pattern=r"^(current|[0-9a-f]{16})$")] = CURRENT
    dry_run: bool = True
    approval: bool = True

    @property
    def own_lateness(self) -> timedelta | None:
        """Return how late an event may be that a backfill admits; None: as late as the view says."""
        return None if self.lateness is None else timedelta(minutes=self.lateness)

    @field_validator("start")
    @classmethod
    def _check_start(cls, start: str, others: ValidationInfo) -> str:
        start = start.strip()
        if start == EARLIEST and others.data.get("kind") == BACKFILL:
            raise ValueError("is no beginning of a backfill; give a time with its zone, or offsets")
        if start != EARLIEST and not _is_place(start):
            raise ValueError("is neither earliest, nor a time with its zone, nor offsets as JSON")
        return start

    @field_validator("until")
    @classmethod
    def _check_until(cls, until: str | None, others: ValidationInfo) -> Any:
        if others.data.get("kind") != BACKFILL:
            return _only_for_backfills(until, others)
        if until is None:
            raise ValueError("is no end of a backfill; give a time with its zone, or offsets")
        until = until.strip()
        if not _is_place(until):
            raise ValueError("is neither a time with its zone, nor offsets as JSON")
        if (start := others.data.get("start")) is not None:
            _check_order(start, until)
        return until

    @field_validator("lateness")
    @classmethod
    def _check_lateness(cls, lateness: int | None, others: ValidationInfo) -> Any:
        return lateness if others.data.get("kind") == BACKFILL else _only_for_backfills(lateness, others)

    @field_validator("artifact")
    @classmethod
    def _check_artifact(cls, artifact: str, others: ValidationInfo) -> str:
        if artifact != CURRENT and others.data.get("kind") == BACKFILL:
            raise ValueError("is for a rebuild; a backfill runs the code as it is now")
        return artifact


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


def _only_for_backfills(value: Any, others: ValidationInfo) -> Any:
    if value is not None and others.data.get("kind") == REBUILD:
        raise ValueError("is for a backfill; a rebuild goes on with the log, by the view's own rules")
    return value


def _is_place(text: str) -> bool:
    return offsets_in(text) is not None or time_in(text) is not None


def _check_order(start: str, until: str) -> None:
    times = time_in(start), time_in(until)
    if times[0] is not None and times[1] is not None:
        if times[1] <= times[0]:
            raise ValueError("is not after the start")
        return
    first, after = (_by_partition(offsets_in(text)) for text in (start, until))
    if first is None or after is None:
        raise ValueError("is of another kind than the start; both are times, or both are offsets")
    if first.keys() != after.keys():
        raise ValueError("does not name the same partitions as the start")
    if first == after or any(after[place] < offset for place, offset in first.items()):
        raise ValueError("is not after the start")


def _by_partition(named: dict[str, Any] | None) -> dict[tuple[str, int], int] | None:
    """Return offsets by topic and partition, whether the topic is named or not."""
    if named is None:
        return None
    by_topic = named if all(isinstance(value, dict) for value in named.values()) else {"": named}
    return {
        (topic, int(partition)): offset
        for topic, offsets in by_topic.items()
        for partition, offset in offsets.items()
    }


def _are_offsets(named: dict[str, Any]) -> bool:
    inner = list(named.values())
    if all(isinstance(value, dict) and value for value in inner):
        return all(_is_offset(*item) for offsets in inner for item in offsets.items())
    return all(_is_offset(*item) for item in named.items())


def _is_offset(partition: str, offset: Any) -> bool:
    number = partition.isascii() and partition.isdecimal() and len(partition) <= LONGEST_PARTITION
    whole = isinstance(offset, int) and not isinstance(offset, bool)
    return number and whole and 0 <= offset <= LARGEST_OFFSET
