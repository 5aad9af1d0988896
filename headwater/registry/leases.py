"""Leases: at most one driver writes for an app, whatever Spark or the network think.

A driver takes the lease when it starts and gets a token; the token only ever grows. It shows the token before
each commit. If another driver has taken the lease since, the token is stale and the driver must end: it has
been replaced, and nobody is to start it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headwater.registry import Connection


class Fenced(Exception):
    """Another driver has taken over this app."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to write for an app, as long as nobody takes it."""

    app: str
    token: int


def take(registry: Connection, app: str, driver: str) -> Lease:
    """Take the lease of an app from whoever holds it."""
    row = registry.execute(
        """
        INSERT INTO leases (app, token, driver) VALUES (%(app)s, 1, %(driver)s)
        ON CONFLICT (app) DO UPDATE
        SET token = leases.token + 1, driver = excluded.driver, taken_at = now(), renewed_at = now()
        RETURNING token
        """,
        {"app": app, "driver": driver},
    ).fetchone()
    if row is None:
        raise LookupError(f'the lease of app "{app}" could not be taken')
    return Lease(app=app, token=row["token"])


def renew(registry: Connection, lease: Lease) -> None:
    """Show the token: renews the lease, or raises when it has been taken by another driver."""
    renewed = registry.execute(
        "UPDATE leases SET renewed_at = now() WHERE app = %s AND token = %s", [lease.app, lease.token]
    )
    if renewed.rowcount == 0:
        raise Fenced(f'another driver has taken over app "{lease.app}" (token {lease.token} is stale)')
