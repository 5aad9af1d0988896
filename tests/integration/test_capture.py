"""Change data capture on real parts: the log tells what the database holds, whatever dies in between."""

from __future__ import annotations

import json
import os
import signal
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from headwater import alarms, capture
from headwater.capture.again import read_again, start_over
from headwater.capture.slot import drop_when_free
from headwater.capture.worker import Worker
from headwater.errors import Refusal
from headwater.local.parts import observe
from headwater.people import keyring
from headwater.registry import connect as registry_of
from headwater.shop.database.clerk import Clerk
from headwater.topics import load_topics
from headwater.topics.reading import read_whole
from tests.captures import Captured, captured_shop, superuser
from tests.cluster.looking import program
from tests.streams import new_log
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from headwater.settings import Settings

TABLES = {topic.table: name for name, topic in load_topics().items() if topic.table}
USERS = 40
BIG = 100_000
SOME = 20  # transactions: enough to be in the middle of writes
AWAY = (psycopg.OperationalError, psycopg.InterfaceError, Refusal)  # what is said while a part is down


def register(shop: psycopg.Connection[Any]) -> None:
    shop.execute(
        "INSERT INTO users SELECT 'user-' || to_char(n, 'FM0000'), 'Somebody', 'DE', 'free' "
        f"FROM generate_series(1, {USERS}) AS n".encode()
    )


def open_shop(captured: Captured) -> None:
    """Let there be something already when the capture begins: it is in the snapshot."""
    with captured.connect() as shop:
        register(shop)
    captured.work(seed=1, transactions=200, users=USERS)


@contextmanager
def new_shop(settings: Settings, *tables: str, opened: bool = False) -> Iterator[Captured]:
    log = new_log(settings, *(TABLES[table] for table in tables))
    topics = {topic.table: topic for topic in log.topics.values()}
    name = f"shop_{uuid.uuid4().hex[:8]}"
    with captured_shop(settings, name, topics, open_shop if opened else None) as shop:
        yield shop


@pytest.fixture(scope="module")
def shop(instance: Settings) -> Iterator[Captured]:
    with new_shop(instance, *TABLES, opened=True) as captured:
        yield captured


def assert_converged(shop: Captured) -> None:
    shop.wait()
    for table in shop.topics:
        assert shop.rows_in_log(table) == shop.rows(table), table


def test_snapshot_and_changes_converge_to_the_tables_row_for_row(shop: Captured) -> None:
    shop.work(seed=2, transactions=300, users=USERS)
    with shop.connect() as connection:
        connection.execute("DELETE FROM users WHERE user_id = 'user-0001'")
        connection.execute("UPDATE users SET country = 'FR' WHERE user_id < 'user-0010'")
        connection.execute("DELETE FROM orders WHERE order_id IN (SELECT order_id FROM orders LIMIT 5)")
    assert_converged(shop)
    assert all(shop.rows(table) for table in TABLES if table != "search_queries")


def test_row_that_is_gone_is_told_with_its_place_and_then_without_a_value(shop: Captured) -> None:
    with shop.connect() as connection:
        connection.execute("INSERT INTO search_queries VALUES ('q', 'user-0002', 'tent', NULL, NULL)")
        connection.execute("DELETE FROM search_queries WHERE query_id = 'q'")
    shop.wait()
    stored, farewell, tombstone = read_whole(shop.settings, shop.topics["search_queries"].name)
    assert json.loads(stored.value) | {"lsn": 0, "committed_at": 0} == {
        "query_id": "q",
        "user_id": "user-0002",
        "words": "tent",
        "category": None,
        "price_at_most": None,
        "lsn": 0,
        "committed_at": 0,
        "__deleted": "false",
    }
    assert json.loads(farewell.value)["__deleted"] == "true"
    assert json.loads(stored.value)["lsn"] < json.loads(farewell.value)["lsn"]
    assert tombstone.value is None
    assert {record.key for record in (stored, farewell, tombstone)} == {b"q"}


def test_added_column_arrives_without_a_restart(shop: Captured) -> None:
    with shop.connect() as connection:
        connection.execute("ALTER TABLE users ADD COLUMN nickname text")
        connection.execute("UPDATE users SET nickname = 'Ed' WHERE user_id = 'user-0003'")
    shop.wait()
    told = [
        json.loads(record.value or b"{}") for record in read_whole(shop.settings, shop.topics["users"].name)
    ]
    assert "Ed" in {row.get("nickname") for row in told}
    assert_converged(shop)


def test_big_transaction_arrives_whole(instance: Settings) -> None:
    with new_shop(instance, "posts") as shop:
        with shop.connect() as connection:
            connection.execute(
                "INSERT INTO posts SELECT 'post-' || n, 'user-0001', 'Hello.', '2026-01-05', NULL "
                f"FROM generate_series(1, {BIG}) AS n".encode()
            )
        shop.wait()
        assert len(list(read_whole(instance, shop.topics["posts"].name))) == BIG


@pytest.mark.parametrize("victim", ["connect", "postgres", "kafka-1"])
def test_log_and_tables_agree_after_kill_9_of(instance: Settings, shop: Captured, victim: str) -> None:
    """In the middle of writes; who writes waits for the database, as any application does."""
    with writing(shop) as writer:
        wait_for("transactions before", lambda: writer.has_committed(SOME))
        killed = program(instance, victim)
        os.kill(killed, signal.SIGKILL)
        wait_for(f"another {victim}", lambda: _pid(instance, victim) not in (None, killed))
        before = writer.committed
        wait_for("transactions after", lambda: writer.has_committed(before + SOME))
    wait_for("the capture runs again", lambda: _runs(shop))
    assert_converged(shop)


class Writer:
    """An application that writes all the time, and counts the transactions that have changed something."""

    def __init__(self, shop: Captured, threads: ThreadPoolExecutor) -> None:
        self._shop, self.enough, self.committed = shop, threading.Event(), 0
        self.end: Future[None] = threads.submit(self._write)

    def has_committed(self, transactions: int) -> bool:
        if self.end.done():
            self.end.result()  # what stopped it
        return self.committed >= transactions

    def _write(self) -> None:
        for seed in count(100):
            try:
                self._work(seed)
            except AWAY:
                self.enough.wait(0.5)
            if self.enough.is_set():
                return

    def _work(self, seed: int) -> None:
        with self._shop.connect() as connection, keyring(self._shop.settings) as keys:
            clerk = Clerk(connection, keys.seal, seed, USERS)
            while not self.enough.is_set():
                self.committed += clerk.work() > 0


@contextmanager
def writing(shop: Captured) -> Iterator[Writer]:
    """Let somebody write meanwhile; raise what has stopped them, unless a part was away."""
    with ThreadPoolExecutor(1) as threads:
        writer = Writer(shop, threads)
        try:
            yield writer
        finally:
            writer.enough.set()
        writer.end.result()


def _pid(instance: Settings, victim: str) -> int | None:
    return next(status.pid for status in observe(instance) if status.name == victim)


def _runs(shop: Captured) -> bool:
    try:
        capture.look_after(shop.settings, shop.name)
        state = Worker(shop.settings).state(shop.name)
    except (*AWAY, OSError):
        return False
    return state is not None and state.running


@pytest.mark.parametrize("anew", [False, True], ids=["dropped", "dropped and made anew"])
def test_lost_slot_is_an_alarm_and_not_a_second_snapshot(instance: Settings, anew: bool) -> None:
    with new_shop(instance, "users") as shop:
        with shop.connect() as connection:
            register(connection)
        shop.wait()
        worker = Worker(instance)
        worker.stop(shop.name)
        with superuser(instance) as server:
            drop_when_free(server, shop.name)
        with shop.connect() as connection:
            connection.execute("UPDATE users SET country = 'US'")
        if anew:
            with psycopg.connect(instance.postgres_dsn(shop.name, "superuser"), autocommit=True) as server:
                server.execute("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", [shop.name])
        told = len(list(read_whole(instance, shop.topics["users"].name)))
        worker.resume(shop.name)
        wait_for("an alarm", lambda: "changes lost" in _alarms(instance, shop.name))
        wait_for("a refusal to go on", lambda: (state := worker.state(shop.name)) and state.trace)
        assert _alarms(instance, shop.name) == {"changes lost"}
        worker.stop(shop.name)
        wait_for("its tasks to end", lambda: (state := worker.state(shop.name)) and not state.tasks)
        assert len(list(read_whole(instance, shop.topics["users"].name))) == told


def _alarms(settings: Settings, subject: str) -> set[str]:
    capture.look_after(settings, subject)
    with registry_of(settings) as registry:
        return {alarm["kind"] for alarm in alarms.open_alarms(registry) if alarm["subject"] == subject}


def test_long_text_is_told_although_it_has_not_changed(instance: Settings) -> None:
    """PostgreSQL stores it beside the row, and leaves it out of its log when only the row has changed."""
    words = " ".join(str(number) for number in range(5_000))
    with new_shop(instance, "posts") as shop:
        with shop.connect() as connection:
            connection.execute(b"ALTER TABLE posts ALTER COLUMN body SET STORAGE EXTERNAL")
            connection.execute("INSERT INTO posts VALUES ('p', 'user-0001', %s, '2026-01-05', NULL)", [words])
            connection.execute("UPDATE posts SET edited_at = '2026-01-06' WHERE post_id = 'p'")
        assert_converged(shop)
        assert shop.rows_in_log("posts")["p"]["body"] == words


def test_table_is_read_again_on_request_and_its_changes_go_on(instance: Settings) -> None:
    with new_shop(instance, "users") as shop:
        with shop.connect() as connection:
            register(connection)
        shop.wait()
        read_again(instance, "users", shop.name)
        wait_for(
            "all rows again", lambda: len(list(read_whole(instance, shop.topics["users"].name))) >= 2 * USERS
        )
        with shop.connect() as connection:
            connection.execute("UPDATE users SET plan = 'plus'")
        assert_converged(shop)


def test_capture_that_starts_over_tells_all_rows_as_they_are(instance: Settings) -> None:
    with new_shop(instance, "users") as shop:
        with shop.connect() as connection:
            register(connection)
        shop.wait()
        start_over(instance, shop.name)
        wait_for("the capture runs again", lambda: _runs(shop))
        wait_for(
            "all rows again", lambda: len(list(read_whole(instance, shop.topics["users"].name))) >= 2 * USERS
        )
        assert_converged(shop)
