"""Connecting to the shop's database, as the shop does, and bringing its tables up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg

from headwater import migrating
from headwater.errors import Refusal

if TYPE_CHECKING:
    from headwater.settings import Settings

DATABASE = ROLE = "shop"
Connection = psycopg.Connection[tuple[Any, ...]]


def connect(settings: Settings, database: str = DATABASE) -> Connection:
    """Open a connection in which every statement is its own transaction unless one is begun."""
    try:
        return psycopg.connect(settings.postgres_dsn(database, ROLE), autocommit=True, connect_timeout=10)
    except psycopg.OperationalError as error:
        raise Refusal(
            "the shop's database did not answer",
            detail=str(error).strip(),
            hint="See whether the part `postgres` runs: `make status`.",
        ) from error


def migrate(settings: Settings, database: str = DATABASE) -> list[str]:
    """Apply the migrations that the database does not have yet; return their names."""
    with connect(settings, database) as shop:
        return migrating.migrate(shop, __package__ or "")
