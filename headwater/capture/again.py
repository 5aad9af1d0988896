"""Reading tables once more: one of them while the capture goes on, or all of them from a new beginning.

Rows that are read again are the same rows: whoever keeps the newest of each key does not notice. A row that
was deleted while nobody looked is not told of by either.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING

import psycopg

from headwater.capture.connector import ROLE
from headwater.capture.slot import drop_when_free
from headwater.capture.worker import worker_of
from headwater.errors import Refusal
from headwater.shop import database as shop_database
from headwater.topics import load_topics

if TYPE_CHECKING:
    from headwater.settings import Settings


def read_again(settings: Settings, table: str, database: str = shop_database.DATABASE) -> None:
    """Ask for a snapshot of one table, bit by bit, while its changes go on."""
    known = sorted(topic.table for topic in load_topics().values() if topic.table)
    if table not in known:
        raise Refusal(f'table "{table}" is not captured', detail=f"Captured are: {', '.join(known)}.")
    data = json.dumps({"data-collections": [f"public.{table}"], "type": "incremental"})
    with shop_database.connect(settings, database) as shop:
        shop.execute("INSERT INTO signals VALUES (%s, 'execute-snapshot', %s)", [str(uuid.uuid4()), data])


def start_over(settings: Settings, database: str = shop_database.DATABASE) -> None:
    """Forget the place up to which was read, and begin with a snapshot of all tables."""
    worker = worker_of(settings)
    worker.stop(database)
    with psycopg.connect(settings.postgres_dsn(database, ROLE), autocommit=True) as server:
        drop_when_free(server, database)
    worker.forget(database)
    worker.resume(database)
