"""The replication slot: what the database keeps for us, how much of it, and whether it is still there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.errors import Refusal
from headwater.waiting import wait_until_nothing_is_missing

if TYPE_CHECKING:
    import psycopg

PATIENCE_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A replication slot, as the server sees it."""

    active: bool
    status: str  # of the log it needs: reserved, extended, unreserved, lost
    kept: int  # bytes of the log that only this slot still needs

    @property
    def lost(self) -> bool:
        """Whether changes are gone that nobody has read."""
        return self.status == "lost"


def drop_when_free(database: psycopg.Connection[Any], name: str) -> None:
    """Drop a slot as soon as nobody reads from it; none is as good as dropped."""

    def missing() -> str:
        kept = slot(database, name)
        return f'Slot "{name}" is still read from.' if kept is not None and kept.active else ""

    if detail := wait_until_nothing_is_missing(missing, PATIENCE_SECONDS):
        raise Refusal("the capture did not come to rest", detail=detail, hint="Try again.")
    dropped = "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %s"
    database.execute(dropped, [name])


def slot(database: psycopg.Connection[Any], name: str) -> Slot | None:
    """Return a slot; None if there is none."""
    found = database.execute(
        """
        SELECT active, wal_status, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)
        FROM pg_replication_slots WHERE slot_name = %s
        """,
        [name],
    ).fetchone()
    if found is None:
        return None
    active, status, kept = found
    return Slot(active=active, status=status, kept=int(kept))
