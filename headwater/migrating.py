"""Bringing a database up to date: numbered files of SQL, each applied once, in order, all or none."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg


def migrate(database: psycopg.Connection[Any], package: str) -> list[str]:
    """Apply the migrations of a package that the database does not have yet; return their names."""
    with database.transaction():
        database.execute(
            "CREATE TABLE IF NOT EXISTS migrations "
            "(name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"
        )
        database.execute("LOCK TABLE migrations")
        pending = [name for name in _files(package) if not _is_applied(database, name)]
        for name in pending:
            database.execute(_files(package)[name].encode())
            database.execute("INSERT INTO migrations (name) VALUES (%s)", [name])
    return pending


def _is_applied(database: psycopg.Connection[Any], name: str) -> bool:
    return bool(database.execute("SELECT FROM migrations WHERE name = %s", [name]).rowcount)


def _files(package: str) -> dict[str, str]:
    folder = resources.files(package) / "migrations"
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name
    )
    return {file.name: file.read_text(encoding="utf-8") for file in files}
