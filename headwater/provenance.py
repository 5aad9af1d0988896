"""Where a row comes from: the records that it is made of, and those that were looked at and not used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from headwater.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Role = Literal["used", "candidate", "late", "repeated", "quarantined"]
COLUMNS = ("topic", "partition", "offset", "received", "event time", "role", "because")
MOST_LISTED = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """One record behind a row."""

    topic: str
    partition: int
    offset: int
    received_at: str
    event_time: str
    role: Role
    because: str = ""
    payload: str | None = None  # as the log has it: what is personal in it stays sealed


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What is known of where one row comes from.

    `proved` says that the view's own transform over the used records alone gives the row; `minimal`, that
    it does not without any one of them.
    """

    view: str
    label: str
    key: Mapping[str, str]
    served: Mapping[str, str] | None
    made: Mapping[str, str] | None  # what the records give
    behind: Sequence[Behind]
    looked_at: int  # records that could have been of the row
    proved: bool
    minimal: bool

    def sentences(self) -> Iterator[str]:
        """Tell what was found, before the table of records."""
        row = f"{self.view} {self.label}, {_values(self.key)}"
        if self.served is not None:
            yield printable(f"{row}: {_values(self._without_key(self.served))}")
            yield self._of_served()
        elif self.made is not None:
            yield printable(f"{row}: no such row is served")
            yield printable(f"The records that were read give one: {_values(self._without_key(self.made))}.")
            yield "Rows that wait until they are final may still come; see `headwater status`."
        else:
            yield printable(f"{row}: no such row is served, and no record that was read gives one")

    def table(self) -> Iterator[tuple[object, ...]]:
        """Return the records as rows of a table."""
        for one in self.behind[:MOST_LISTED]:
            place = (one.topic, one.partition, one.offset)
            yield (*place, one.received_at, one.event_time, one.role, printable(one.because))

    def payloads(self) -> Iterator[str]:
        """Return the records as they are, a line each."""
        for one in self.behind[:MOST_LISTED]:
            said = "no value: a farewell" if one.payload is None else printable(one.payload)
            yield f"{one.topic}:{one.partition}:{one.offset} {said}"

    def rest(self) -> str:
        """Say how many records were left out of the table."""
        more = len(self.behind) - MOST_LISTED
        return f"… and {more:,} more" if more > 0 else ""

    def _of_served(self) -> str:
        used = sum(one.role == "used" for one in self.behind)
        if not self.proved:
            made = _values(self._without_key(self.made)) if self.made is not None else "no row"
            return printable(
                f"The {self.looked_at:,} records that it could be of give something else: {made}."
            )
        others = self.looked_at - used
        left_out = f" {others:,} others were looked at and do not change it." if others else ""
        needed = "and each of them is needed" if self.minimal else "and whether all are needed was not tried"
        return f"{used:,} records alone give exactly this row, {needed}.{left_out}"

    def _without_key(self, row: Mapping[str, str]) -> dict[str, str]:
        return {name: value for name, value in row.items() if name not in self.key}


def _values(row: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in row.items())
