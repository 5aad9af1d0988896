"""Leases: at most one driver writes for an app, whatever Spark or the network think.

A driver takes the lease when it starts and gets a token; the token only ever grows. It shows the token before
each commit. If another driver has taken the lease since, the token is stale and the driver must end: it has
been replaced, and nobody is to start it again.

A version of a view may move from one app to another. So a driver also enters itself as the writer of each
query it runs, and a commit needs both: the app's lease, and the query's last entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from headwater.registry import Connection


class Fenced(Exception):
    """Another driver has taken over this app, or one of its queries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to write for an app, as long as nobody takes it."""

    app: str
    token: int


def take(
    registry: Connection,
    app: str,
    driver: str,
    artifact: str = "",
    queries: Sequence[str] = (),
    *,
    speaks: bool = True,
) -> Lease:
    """Take the lease of an app, and the right to write its queries, from whoever holds them."""
    with registry.transaction():
        row = registry.execute(
            """
            INSERT INTO leases (app, token, driver, artifact, queries, speaks)
            VALUES (%(app)s, 1, %(driver)s, %(artifact)s, %(queries)s, %(speaks)s)
            ON CONFLICT (app) DO UPDATE
            SET token = leases.token + 1, driver = excluded.driver, artifact = excluded.artifact,
                queries = excluded.queries, speaks = excluded.speaks, taken_at = now(), renewed_at = now()
            RETURNING token
            """,
            {
                "app": app,
                "driver": driver,
                "artifact": artifact,
                "queries": list(queries),
                "speaks": speaks,
            },
        ).fetchone()
        if row is None:
            raise LookupError(f'the lease of app "{app}" could not be taken')
        lease = Lease(app=app, token=row["token"])
        registry.execute(
            "INSERT INTO starts (app, token, driver) VALUES (%s, %s, %s)", [app, lease.token, driver]
        )
        for query in queries:
            _enter_writer(registry, lease, query)
    return lease


def show(registry: Connection, lease: Lease, queries: Iterable[str | None] = ()) -> None:
    """Show the token: renews the lease, or raises when the app or one of its queries has been taken over.

    A query without a version of a view (None) belongs to the app alone.
    """
    renewed = registry.execute(
        "UPDATE leases SET renewed_at = now() WHERE app = %s AND token = %s", [lease.app, lease.token]
    )
    if renewed.rowcount == 0:
        raise Fenced(f'another driver has taken over app "{lease.app}" (token {lease.token} is stale)')
    taken = registry.execute(
        "SELECT query, app FROM writers WHERE query = ANY(%s) AND (app, token) <> (%s, %s)",
        [[query for query in queries if query], lease.app, lease.token],
    ).fetchone()
    if taken:
        raise Fenced(f'app "{taken["app"]}" has taken over query "{taken["query"]}"')


def _enter_writer(registry: Connection, lease: Lease, query: str) -> None:
    registry.execute(
        """
        INSERT INTO writers (query, app, token) VALUES (%s, %s, %s)
        ON CONFLICT (query) DO UPDATE SET app = excluded.app, token = excluded.token
        """,
        [query, lease.app, lease.token],
    )
