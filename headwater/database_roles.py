"""Roles of PostgreSQL and their databases: made where they are not, and each password given anew.

A password never leaves this side: the server is sent what it keeps of one. It logs statements that change a
role, and those that fail, as they came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, LiteralString

from psycopg import sql

if TYPE_CHECKING:
    import psycopg

    Server = psycopg.Connection[Any]


def ensure_role(server: Server, name: str, password: str, attributes: LiteralString = "") -> None:
    """Make a role that may log in, unless it is there; give it this password, and these attributes."""
    role = sql.Identifier(name)
    if not server.execute("SELECT FROM pg_roles WHERE rolname = %s", [name]).rowcount:
        server.execute(sql.SQL("CREATE ROLE {}").format(role))
    statement = sql.SQL("ALTER ROLE {} LOGIN {} PASSWORD {}")
    secret = sql.Literal(_scram(server, name, password))
    server.execute(statement.format(role, sql.SQL(attributes), secret))


def ensure_database(server: Server, owner: str) -> None:
    """Make the database of a role, which has the same name, unless it is there; let in nobody else."""
    if server.execute("SELECT FROM pg_database WHERE datname = %s", [owner]).rowcount:
        return
    name = sql.Identifier(owner)
    server.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(name, name))
    server.execute(sql.SQL("REVOKE CONNECT ON DATABASE {} FROM PUBLIC").format(name))


def _scram(server: Server, name: str, password: str) -> str:
    return server.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
