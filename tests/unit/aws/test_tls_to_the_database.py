"""Every client of PostgreSQL is told to encrypt, and gives up where it cannot."""

from __future__ import annotations

import socket
import threading
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import boto3
import pytest
from sqlalchemy.exc import OperationalError

from headwater import lake, registry, secrets_manager
from headwater.capture.connector import connector
from headwater.errors import Refusal
from headwater.topics import load_topics
from spark_apps import session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings

SECRET = "AmazonMSK_headwater-test/postgres.headwater"
ASKS_FOR_TLS = b"\x00\x00\x00\x08\x04\xd2\x16\x2f"


class PlainServer:
    """A server that speaks no TLS, and keeps what it is sent after it has said so."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.told: list[bytes] = []

    def serve(self) -> None:
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:  # closed
                return
            with client:
                if client.recv(8) == ASKS_FOR_TLS:
                    client.sendall(b"N")
                self.told.append(client.recv(1024))


@contextmanager
def plain_server() -> Iterator[PlainServer]:
    server = PlainServer()
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    with closing(server.listening):
        yield server
        server.listening.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.fixture(autouse=True)
def _password() -> None:
    boto3.client("secretsmanager").create_secret(Name=SECRET)
    secrets_manager.fill({SECRET: "headwater"}, 1)


def test_registry_and_catalog_say_nothing_to_a_server_that_does_not_encrypt(settings: Settings) -> None:
    with plain_server() as server:
        here = replace(settings, postgres_host="127.0.0.1", postgres_port=server.port, warehouse="/tmp")
        with pytest.raises(Refusal, match="server does not support SSL"):
            registry.connect(here)
        with pytest.raises(OperationalError, match="server does not support SSL"):
            lake.catalog(here)
    assert set(server.told) == {b""}


def test_spark_and_debezium_are_told_to_encrypt(settings: Settings) -> None:
    assert session._catalog(settings)["spark.sql.catalog.lake.jdbc.sslmode"] == "require"
    assert connector(settings, load_topics().values(), "shop")["database.sslmode"] == "require"
