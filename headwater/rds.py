"""RDS: the roles and databases that the platform expects in a server of AWS.

    PGUSER=headwater_admin PGPASSWORD=… python -m headwater.rds

Terraform makes the server, but cannot look into it. Its first user is no superuser: what it owns on behalf of
a role it must be a member of, and the right to read the log is a role that RDS has for it. Called again, this
gives every role its password anew, for example after `password_generation` was raised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

from headwater.database_roles import ensure_database, ensure_role
from headwater.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

OWNERS = ("headwater", "shop")  # each role owns the database of its name
CAPTURE, CAPTURED = "capture", "shop"  # the role that reads the log, and whose database it may enter
READERS_OF_THE_LOG = "rds_replication"


def settle(
    server: psycopg.Connection[Any],
    password: Callable[[str], str],
    owners: tuple[str, ...] = OWNERS,
    capture: str = CAPTURE,
    captured: str = CAPTURED,
) -> None:
    """Make the roles, the database of each, and what they may do beside; give each role its password."""
    for owner in owners:
        ensure_role(server, owner, password(owner))
        server.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(owner)))
        ensure_database(server, owner)
    ensure_role(server, capture, password(capture))
    reader = sql.Identifier(capture)
    server.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(READERS_OF_THE_LOG), reader))
    server.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(sql.Identifier(captured), reader))


def main() -> None:
    """Settle the server of the environment, as the user that PGUSER and PGPASSWORD name."""
    settings = Settings.load()
    with psycopg.connect(
        host=settings.postgres_host,
        port=settings.postgres_port,
        sslmode=settings.postgres_sslmode,
        dbname="postgres",
        autocommit=True,
        connect_timeout=10,
    ) as server:
        settle(server, lambda role: settings.secret(f"postgres.{role}"))
    print(f"roles {', '.join((*OWNERS, CAPTURE))} have their passwords, and their databases")


if __name__ == "__main__":
    main()
