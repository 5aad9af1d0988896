"""Heartbeats: what each streaming query last did, one row each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime  # noqa: TC003 -- part of the record
from typing import TYPE_CHECKING, Any

from psycopg.types.json import Jsonb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headwater.registry import Connection

    Offsets = Mapping[str, Mapping[str, int]]  # topic -> partition -> next offset


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What one batch of a query did."""

    batch_id: int
    batch_at: datetime
    offsets: Offsets
    rows_in: int
    rows_per_second: float
    batch_seconds: float
    watermark_at: datetime | None
    received_up_to: datetime | None
    dropped_rows: int


def beat(
    registry: Connection, *, query: str, app: str, token: int, phase: str, share: float | None = None
) -> None:
    """Say that a query is alive."""
    registry.execute(
        """
        INSERT INTO heartbeats (query, app, token, phase, share)
        VALUES (%(query)s, %(app)s, %(token)s, %(phase)s, %(share)s)
        ON CONFLICT (query) DO UPDATE
        SET app = excluded.app, token = excluded.token, phase = excluded.phase, share = excluded.share,
            beat_at = now(),
            phase_at = CASE WHEN (heartbeats.app, heartbeats.token, heartbeats.phase)
                               = (excluded.app, excluded.token, excluded.phase)
                            THEN heartbeats.phase_at ELSE now() END
        WHERE heartbeats.token <= excluded.token OR heartbeats.app <> excluded.app
        """,
        {"query": query, "app": app, "token": token, "phase": phase, "share": share},
    )


def record(registry: Connection, query: str, progress: Progress) -> None:
    """Write down what a query's newest batch did."""
    registry.execute(
        """
        UPDATE heartbeats
        SET batch_id = %(batch_id)s, batch_at = %(batch_at)s, offsets = %(offsets)s, rows_in = %(rows_in)s,
            rows_per_second = %(rows_per_second)s, batch_seconds = %(batch_seconds)s,
            watermark_at = coalesce(%(watermark_at)s, watermark_at),
            received_up_to = coalesce(%(received_up_to)s, received_up_to),
            dropped_rows = %(dropped_rows)s, beat_at = now(), looked_at = now()
        WHERE query = %(query)s
        """,
        {
            "query": query,
            "batch_id": progress.batch_id,
            "batch_at": progress.batch_at,
            "offsets": Jsonb(progress.offsets),
            "rows_in": progress.rows_in,
            "rows_per_second": progress.rows_per_second,
            "batch_seconds": progress.batch_seconds,
            "watermark_at": progress.watermark_at,
            "received_up_to": progress.received_up_to,
            "dropped_rows": progress.dropped_rows,
        },
    )


def look_in_vain(registry: Connection, query: str, offsets: Offsets) -> None:
    """Write down that a query looked at the log, and had read all there is."""
    registry.execute(
        "UPDATE heartbeats SET offsets = %s, rows_per_second = 0, beat_at = now(), looked_at = now() "
        "WHERE query = %s",
        [Jsonb(offsets), query],
    )


def see_lag(registry: Connection, query: str, lag: int | None) -> None:
    """Remember the lag of a query, so that the next look can tell whether it grows."""
    registry.execute("UPDATE heartbeats SET lag_seen = %s WHERE query = %s", [lag, query])


def alive(registry: Connection, app: str) -> bool:
    """Say whether the driver that was submitted last has given signs of life."""
    row = registry.execute(
        """
        SELECT count(*) AS beats
        FROM heartbeats JOIN leases USING (app, token) JOIN apps ON apps.name = heartbeats.app
        WHERE heartbeats.app = %s AND leases.taken_at > apps.submitted_at
        """,
        [app],
    ).fetchone()
    return row is not None and row["beats"] > 0


def all_heartbeats(registry: Connection) -> list[dict[str, Any]]:
    """Return the latest heartbeat of every query."""
    return registry.execute("SELECT *, now() - beat_at AS silence FROM heartbeats ORDER BY query").fetchall()


def of_query(registry: Connection, query: str) -> dict[str, Any] | None:
    """Return the latest heartbeat of a query from the driver that holds its app's lease."""
    return registry.execute(
        """
        SELECT heartbeats.*, now() - leases.taken_at AS running_for
        FROM heartbeats JOIN leases USING (app, token)
        WHERE query = %s
        """,
        [query],
    ).fetchone()
