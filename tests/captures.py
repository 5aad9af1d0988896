"""Shops with a database of their own, whose changes come into topics of a test's own."""

from __future__ import annotations

import json
import time
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import psycopg

from headwater import capture
from headwater.capture.connector import ROLE
from headwater.capture.slot import drop_when_free
from headwater.people import keyring
from headwater.shop import database
from headwater.shop.database.clerk import Clerk
from headwater.topics.reading import read_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from headwater.settings import Settings
    from headwater.topics import Topic

PATIENCE_SECONDS = 120
TESTS = "tests"  # what the server knows a test by: a connection may live on for a moment after it is closed


@dataclass(frozen=True, slots=True)
class Captured:
    """A shop's database, and the topics that tell its changes, by table."""

    settings: Settings
    name: str
    topics: dict[str, Topic]

    def connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        return database.connect(self.settings, self.name)

    def work(self, seed: int, *, transactions: int, users: int) -> None:
        """Let a clerk do so many things."""
        with self.connect() as shop, keyring(self.settings) as keys:
            clerk = Clerk(shop, keys.seal, seed, users)
            clerk.stock()
            for _ in range(transactions):
                clerk.work()

    def wait(self) -> None:
        """Wait until all that is committed so far is in the log."""
        with superuser(self.settings) as server:
            (written,) = server.execute("SELECT pg_current_wal_lsn()::text").fetchone() or ("",)
            deadline = time.monotonic() + PATIENCE_SECONDS
            while not _confirmed(server, self.name, written):
                assert time.monotonic() < deadline, f"changes of {self.name} do not come"
                time.sleep(0.1)

    def rows(self, table: str) -> dict[str, dict[str, Any]]:
        """Return the rows of a table as the database has them, written as the log writes them."""
        topic = self.topics[table]
        with self.connect() as shop:
            columns = ", ".join(topic.fields)
            found = shop.execute(f"SELECT {columns} FROM {table}".encode()).fetchall()
        return {row[0]: _written(dict(zip(topic.fields, row, strict=True))) for row in found}

    def rows_in_log(self, table: str) -> dict[str, dict[str, Any]]:
        """Return the rows of a table as the log tells them: the newest of each key, none where it is gone."""
        kept: dict[str, dict[str, Any]] = {}
        for record in read_whole(self.settings, self.topics[table].name):
            key = record.key.decode()
            if record.value is None or json.loads(record.value).get("__deleted") == "true":
                kept.pop(key, None)
            else:
                value = json.loads(record.value)
                kept[key] = {name: value[name] for name in self.topics[table].fields}
        return kept


@contextmanager
def captured_shop(
    settings: Settings, name: str, topics: dict[str, Topic], before: Callable[[Captured], None] | None = None
) -> Iterator[Captured]:
    """Make a shop's database and follow it; let it go afterwards, with all that the server keeps for it.

    What happens `before` it is followed is in the snapshot.
    """
    create(settings, name)
    with superuser(settings) as server:
        server.execute(f"GRANT CONNECT ON DATABASE {name} TO {ROLE}".encode())
    database.migrate(settings, name)
    shop = Captured(settings, name, topics)
    if before:
        before(shop)
    capture.follow(settings, topics.values(), name)
    try:
        yield shop
    finally:
        capture.unfollow(settings, name)
        remove(settings, name)


def create(settings: Settings, name: str) -> None:
    """Make a database for a shop."""
    with superuser(settings) as server:
        server.execute(f"CREATE DATABASE {name} OWNER {database.DATABASE}".encode())


@contextmanager
def empty_database(settings: Settings) -> Iterator[str]:
    """Make a database that nobody follows; drop it afterwards."""
    name = f"shop_{uuid.uuid4().hex[:8]}"
    create(settings, name)
    try:
        yield name
    finally:
        with superuser(settings) as server:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def remove(settings: Settings, name: str) -> None:
    """Drop a database, and its slot as soon as nobody reads from it."""
    with superuser(settings) as server:
        drop_when_free(server, name)
        server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def superuser(settings: Settings) -> psycopg.Connection[tuple[Any, ...]]:
    """Connect as nobody but a test does."""
    whole_server = settings.postgres_dsn("postgres", "superuser")
    return psycopg.connect(whole_server, autocommit=True, application_name=TESTS)


def _written(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _as_json(value) for name, value in row.items()}


def _as_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return round(value.replace(tzinfo=UTC).timestamp() * 1000)
    return str(value) if isinstance(value, Decimal) else value


def _confirmed(server: psycopg.Connection[tuple[Any, ...]], name: str, written: str) -> bool:
    found = server.execute(
        b"SELECT confirmed_flush_lsn >= %s::pg_lsn FROM pg_replication_slots WHERE slot_name = %s",
        [written, name],
    ).fetchone()
    return bool(found and found[0])
