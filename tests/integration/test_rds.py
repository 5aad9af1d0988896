"""RDS: a server whose first user is no superuser, played by one of PostgreSQL's own with as few rights."""

from __future__ import annotations

import secrets
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from headwater import rds
from headwater.checking import MAY_REPLICATE
from tests.captures import superuser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from headwater.settings import Settings

Server = psycopg.Connection[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Rds:
    """A server of AWS, and what its roles are called in this test."""

    settings: Settings
    first_user: Server
    owners: tuple[str, str]
    capture: str

    def settle(self) -> dict[str, str]:
        """Have the first user make the roles; return their passwords, new ones each time."""
        passwords = {role: secrets.token_urlsafe() for role in (*self.owners, self.capture)}
        rds.settle(self.first_user, passwords.__getitem__, self.owners, self.capture, self.owners[1])
        return passwords

    def login(self, role: str, password: str, database: str) -> Server:
        where = f"host={self.settings.postgres_host} port={self.settings.postgres_port}"
        return psycopg.connect(where, user=role, password=password, dbname=database)


@pytest.fixture
def server(instance: Settings) -> Iterator[Rds]:
    """Return a server as RDS hands it over; drop what is made in it."""
    first, registry, shop, capture = (f"rds_{uuid.uuid4().hex[:8]}" for _ in range(4))
    with superuser(instance) as whole_server, a_role_that_reads_the_log(whole_server):
        password = secrets.token_urlsafe()
        whole_server.execute(f"CREATE ROLE {first} LOGIN CREATEDB CREATEROLE PASSWORD '{password}'".encode())
        whole_server.execute(f"GRANT {rds.READERS_OF_THE_LOG} TO {first} WITH ADMIN OPTION".encode())
        where = f"host={instance.postgres_host} port={instance.postgres_port} dbname=postgres"
        with psycopg.connect(where, user=first, password=password, autocommit=True) as first_user:
            yield Rds(instance, first_user, (registry, shop), capture)
        for database in (registry, shop):
            whole_server.execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)".encode())
        for role in (registry, shop, capture, first):
            whole_server.execute(f"DROP ROLE IF EXISTS {role}".encode())


@contextmanager
def a_role_that_reads_the_log(whole_server: Server) -> Iterator[None]:
    whole_server.execute(f"CREATE ROLE {rds.READERS_OF_THE_LOG}".encode())
    try:
        yield
    finally:
        whole_server.execute(f"DROP ROLE {rds.READERS_OF_THE_LOG}".encode())


def test_every_role_has_its_password_and_its_database_and_capture_may_read_the_log(server: Rds) -> None:
    passwords = server.settle()
    for owner in server.owners:
        with server.login(owner, passwords[owner], owner) as own:
            own.execute("CREATE SCHEMA whatever")
    with server.login(server.capture, passwords[server.capture], server.owners[1]) as shop:
        assert shop.execute(MAY_REPLICATE).fetchone() == (True,)
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        server.login(server.capture, passwords[server.capture], server.owners[0])


def test_role_without_the_right_may_not_read_the_log(server: Rds) -> None:
    owner = server.owners[1]
    with server.login(owner, server.settle()[owner], owner) as shop:
        assert shop.execute(MAY_REPLICATE).fetchone() == (False,)


def test_settling_again_gives_new_passwords_and_changes_nothing_else(server: Rds) -> None:
    owner = server.owners[0]
    before = server.settle()[owner]
    after = server.settle()[owner]
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        server.login(owner, before, owner)
    server.login(owner, after, owner).close()


def test_no_password_is_sent_to_the_server_which_logs_what_it_is_sent(server: Rds, tmp_path: Path) -> None:
    sent = tmp_path / "sent"
    with sent.open("w") as file:
        server.first_user.pgconn.trace(file.fileno())
        passwords = server.settle()
        server.first_user.pgconn.untrace()
    words = sent.read_text()
    assert f'ALTER ROLE "{server.capture}" LOGIN' in words
    assert not any(password in words for password in passwords.values())


def test_client_that_must_encrypt_does_not_talk_to_a_server_that_cannot(instance: Settings) -> None:
    with pytest.raises(psycopg.OperationalError, match="server does not support SSL, but SSL was required"):
        psycopg.connect(replace(instance, postgres_sslmode="require").postgres_dsn())
