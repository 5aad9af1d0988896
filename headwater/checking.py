"""Checking an environment before anything relies on it: every part is there, and lets us do what we must.

Nothing is changed. All parts are asked, so that one look tells everything that is wrong.
"""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

import psycopg
from kafka.errors import KafkaError

from headwater.brokers import admin_client
from headwater.capture.connector import ROLE as CAPTURE
from headwater.engines import engine_of
from headwater.errors import Refusal
from headwater.topics import load_topics
from headwater.topics.access import roles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from headwater.settings import Settings

ADMIN = "admin"  # in Kafka
PROBE = "headwater.check"  # a topic, and a driver, that is asked for and never made
# By an attribute; where nobody may give that away, as on RDS, by being a member of a role.
MAY_REPLICATE = """
    SELECT bool_or(rolreplication OR rolname = 'rds_replication') FROM pg_roles
    WHERE rolname = current_user OR (rolname = 'rds_replication' AND pg_has_role(oid, 'member'))
"""
DEBEZIUM = "io.debezium.connector.postgresql.PostgresConnector"


def check(settings: Settings) -> None:
    """Ask every part; refuse and tell what is wrong with which."""
    wrong = [f"{part}: {trouble}" for part, look in LOOKS.items() for trouble in _found(look, settings)]
    if wrong:
        raise Refusal(
            f'environment "{settings.instance}" is not ready',
            detail="\n".join(wrong),
            hint="Correct addresses in the variables, passwords in the secrets, rights in the part itself.",
        )


def _found(look: Callable[[Settings], Iterator[str]], settings: Settings) -> list[str]:
    try:
        return list(look(settings))
    except Refusal as refusal:  # without its hint, which knows the parts of `make up` only
        return [f"{refusal.primary} ({refusal.detail})"]
    except (KafkaError, psycopg.Error, OSError) as error:
        return [" ".join(str(error).split())]


def _kafka(settings: Settings) -> Iterator[str]:
    with admin_client(settings, ADMIN) as admin:
        try:
            topic = {"num_partitions": 1, "replication_factor": -1}
            admin.create_topics({PROBE: topic}, validate_only=True)
        except KafkaError as error:
            yield f'user "{ADMIN}" may not make topics ({type(error).__name__})'
    for role in users(settings):
        try:
            with admin_client(settings, role) as client:
                client.list_topics()
        except Refusal as refusal:
            yield f'user "{role}" is not let in ({refusal.detail})'


def users(settings: Settings) -> list[str]:
    """Return the users of Kafka with a password, beside `admin`: Connect on AWS proves itself otherwise."""
    named = roles(load_topics().values())
    return sorted(named if settings.connect_url.startswith("http") else named - {"connect"})


def _postgres(settings: Settings) -> Iterator[str]:
    for role in ("headwater", "shop"):
        with psycopg.connect(settings.postgres_dsn(role, role), connect_timeout=10) as server:
            if not _said(server, "SELECT has_database_privilege(current_database(), 'CREATE')"):
                yield f'role "{role}" may not make schemas in the database "{role}"'
            if _said(server, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"):
                yield f'role "{role}" is a superuser: it needs its own database and nothing more'
    with psycopg.connect(settings.postgres_dsn("shop", CAPTURE), connect_timeout=10) as server:
        if _said(server, "SHOW wal_level") != "logical":
            yield "wal_level is not logical: changes of the shop's database cannot be captured"
        if not _said(server, MAY_REPLICATE):
            yield f'role "{CAPTURE}" may not replicate: `ALTER ROLE {CAPTURE} REPLICATION`'


def _said(server: psycopg.Connection, question: str) -> object:
    row = server.execute(question).fetchone()
    return row[0] if row else None


def _spark(settings: Settings) -> Iterator[str]:
    engine = engine_of(settings)
    if not engine.workers():
        yield "no worker is there to run drivers"
    engine.running(PROBE)  # where drivers are submitted, who asks must prove who they are


def _connect(settings: Settings) -> Iterator[str]:
    if not settings.connect_url.startswith("http"):  # none, or one that Terraform makes
        return
    with urllib.request.urlopen(f"{settings.connect_url}/connector-plugins", timeout=10) as answer:
        if DEBEZIUM not in {plugin["class"] for plugin in json.load(answer)}:
            yield f"Connect does not have the plugin {DEBEZIUM}"


def _storage(settings: Settings) -> Iterator[str]:
    for name in ("warehouse", "checkpoints", "artifacts"):
        place = getattr(settings, name)
        if "://" in place:
            continue
        try:
            TemporaryFile(dir=_existing(Path(place))).close()  # rights alone do not tell, least of all root's
        except OSError as error:
            yield f"{name} {place} cannot be written ({error.strerror})"


def _existing(path: Path) -> Path:
    """Return the path itself, or the nearest folder above it that is there."""
    return next(folder for folder in (path, *path.parents) if folder.exists())


LOOKS: dict[str, Callable[[Settings], Iterator[str]]] = {
    "Kafka": _kafka,
    "PostgreSQL": _postgres,
    "Spark": _spark,
    "Connect": _connect,
    "storage": _storage,
}
