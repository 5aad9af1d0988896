"""One record of the log, and the truth about it."""

from __future__ import annotations

from typing import NamedTuple


class Record(NamedTuple):
    """One record of the log, and the truth about it for tests to count with. Times are epoch milliseconds."""

    topic: str
    key: bytes
    value: bytes | None
    received_at: int
    partition: int | None
    kind: str
    """plain, held (by an outage), out_of_order, late, repeated, wrong_clock or malformed."""
    flaw: str
    """What is wrong with a malformed record; empty for all others."""
    event_id: str
    """Empty for a record of a changelog."""
    happened_at: int
    """When it happened, by the server's clock: the event time that a right correction finds."""
    story: str = ""
    """Its part in a story, as the file of its stream names it: for example `fraud`, `burst`, `stray`."""
