"""Connecting to the registry, and bringing its tables up to date."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.rows import dict_row

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
    with connect(settings) as registry, registry.transaction():
        registry.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        registry.execute(
            "CREATE TABLE IF NOT EXISTS migrations "
            "(name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"
        )
        registry.execute("LOCK TABLE migrations")
        done = {row["name"] for row in registry.execute("SELECT name FROM migrations")}
        pending = {name: sql for name, sql in _migrations().items() if name not in done}
        for name, sql in pending.items():
            registry.execute(sql.encode())
            registry.execute("INSERT INTO migrations (name) VALUES (%s)", [name])
    return list(pending)


def _migrations() -> dict[str, str]:
    folder = resources.files("headwater.registry") / "migrations"
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name
    )
    return {file.name: file.read_text(encoding="utf-8") for file in files}
