"""Connecting to the registry, and bringing its tables up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.rows import dict_row

from headwater import migrating
from headwater.errors import Refusal

if TYPE_CHECKING:
    from headwater.settings import Settings

Connection = psycopg.Connection[dict[str, Any]]
SCHEMA = "headwater"


def connect(settings: Settings) -> Connection:
    """Open a connection in which every statement is its own transaction unless one is begun."""
    try:
        return psycopg.connect(
            settings.postgres_dsn(),
            row_factory=dict_row,
            autocommit=True,
            options=f"-c search_path={SCHEMA}",
            connect_timeout=10,
        )
    except psycopg.OperationalError as error:
        raise Refusal(
            "the registry did not answer",
            detail=str(error).strip(),
            hint="See whether the part `postgres` runs: `make status`.",
        ) from error


def migrated(registry: Connection) -> bool:
    """Say whether the registry has its tables: not before the first `make up` has come that far."""
    row = registry.execute("SELECT to_regclass('apps') IS NOT NULL AS there").fetchone()
    return bool(row and row["there"])


def migrate(settings: Settings) -> list[str]:
    """Apply the migrations that the registry does not have yet; return their names."""
    with connect(settings) as registry:
        registry.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        return migrating.migrate(registry, "headwater.registry")
