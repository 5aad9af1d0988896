"""Replays as the registry remembers them: one open at a time for each view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.types.json import Jsonb

from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headwater.registry import Connection

RATES_TO_REMEMBER = 5


def open_replay(registry: Connection, view: str) -> dict[str, Any] | None:
    """Return the replay of a view that is under way."""
    return registry.execute("SELECT * FROM replays WHERE view = %s AND state = 'open'", [view]).fetchone()


def find(registry: Connection, key: str) -> dict[str, Any] | None:
    """Return a replay by its key."""
    return registry.execute("SELECT * FROM replays WHERE key = %s", [key]).fetchone()


def known(registry: Connection, key: str) -> dict[str, Any]:
    """Return a replay by its key, or refuse."""
    replay = find(registry, key)
    if replay is None:
        raise Refusal(f'there is no replay "{key}"', hint="See `headwater replay status`.")
    return replay


def refuse_if_ended(replay: Mapping[str, Any]) -> None:
    """Refuse to go on with a replay that has come to an end."""
    if replay["state"] != "open":
        raise Refusal(
            f"this replay has ended: it was {replay['state']}",
            detail=replay["because"] or "",
            hint="Start a new one.",
        )


def under_way(replay: Mapping[str, Any]) -> str:
    """Say that a replay is in the way of another; it may be left over from a run that died."""
    return (
        f"A {replay['kind']} of this view is under way: {replay['query']}, since "
        f"{replay['opened_at']:%d %B %H:%M}. {how_to_end(replay['view'])}"
    )


def how_to_end(view: str) -> str:
    """Say how to go on with an open replay, or to give it up, whoever began it."""
    promote, reject = f"`headwater replay promote {view}`", f"`headwater replay reject {view}`"
    return f"Promote it first ({promote}), or give it up ({reject})."


def enter(
    registry: Connection,
    *,
    key: str,
    view: str,
    query: str,
    request: Any,
    plan: Any,
    kind: str = "rebuild",
) -> dict[str, Any]:
    """Open a replay; a second one of the same view is refused."""
    try:
        row = registry.execute(
            "INSERT INTO replays (key, view, query, request, plan, kind) VALUES (%s, %s, %s, %s, %s, %s) "
            "RETURNING *",
            [key, view, query, Jsonb(request), Jsonb(plan), kind],
        ).fetchone()
    except psycopg.errors.UniqueViolation as error:
        raise Refusal(
            f'a replay of view "{view}" is under way',
            hint=how_to_end(view),
        ) from error
    if row is None:
        raise LookupError(f'replay "{key}" could not be entered')
    return row


def caught_up(registry: Connection, key: str, events: int) -> None:
    """Remember when a candidate had caught up, and how fast it was; the first time counts."""
    registry.execute(
        """
        UPDATE replays
        SET caught_up_at = now(), events = %(events)s,
            events_per_second = %(events)s / greatest(extract(epoch FROM now() - opened_at), 1)
        WHERE key = %(key)s AND caught_up_at IS NULL
        """,
        {"key": key, "events": events},
    )


def proved(registry: Connection, key: str, proof: Any, events: int, events_per_second: float) -> None:
    """Keep the proof of a backfill, and how fast its rows were computed; a newer one takes its place."""
    registry.execute(
        "UPDATE replays SET proof = %s, events = %s, events_per_second = %s WHERE key = %s",
        [Jsonb(proof), events, events_per_second, key],
    )


def committed(registry: Connection, key: str, outcome: Any) -> None:
    """Remember that the rows of a backfill are in place."""
    registry.execute("UPDATE replays SET outcome = %s WHERE key = %s", [Jsonb(outcome), key])


def outcomes(registry: Connection, query: str) -> list[dict[str, Any]]:
    """Return what backfills have put into a version, in their order."""
    rows = registry.execute(
        "SELECT outcome FROM replays WHERE query = %s AND outcome IS NOT NULL ORDER BY opened_at", [query]
    ).fetchall()
    return [row["outcome"] for row in rows]


def close(registry: Connection, key: str, state: str, because: str) -> None:
    """End a replay."""
    registry.execute(
        "UPDATE replays SET state = %s, because = %s, closed_at = now() WHERE key = %s AND state = 'open'",
        [state, because, key],
    )


def all_replays(registry: Connection, view: str | None = None) -> list[dict[str, Any]]:
    """Return the replays there were, of one view or of all, newest first."""
    return registry.execute(
        "SELECT * FROM replays WHERE %(view)s::text IS NULL OR view = %(view)s ORDER BY opened_at DESC",
        {"view": view},
    ).fetchall()


def measured_rate(registry: Connection, kind: str = "rebuild") -> float | None:
    """Return the usual speed of the latest replays of a kind that had enough to read to tell."""
    row = registry.execute(
        """
        SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY events_per_second) AS rate
        FROM (SELECT events_per_second FROM replays WHERE events >= 10000 AND kind = %s
              ORDER BY opened_at DESC LIMIT %s) AS latest
        """,
        [kind, RATES_TO_REMEMBER],
    ).fetchone()
    return row["rate"] if row else None
