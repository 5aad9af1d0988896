"""Why there is a capture: two writers who write to the database and to the log make the two disagree.

writer A   database ─────────────────────► log
writer B             database ──► log            the database says B, the log says A, for ever
"""

from __future__ import annotations

import json
import random
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaProducer

from headwater.topics.reading import read_whole
from tests.captures import Captured, captured_shop
from tests.streams import Log, new_log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings

PEOPLE = [f"user-{number:04d}" for number in range(100)]
PLANS = ("free", "pro")


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    return new_log(instance, "user_changelog", "stored_queries")


@pytest.fixture(scope="module")
def raced(instance: Settings, log: Log) -> Iterator[Captured]:
    """Return a shop in which two writers have changed everybody's plan at the same time.

    The capture tells of it on one topic; on another one, as shops without a capture do, the writers do.
    """
    users = log.topics["user_changelog"]
    with captured_shop(instance, f"shop{log.suffix}", {"users": users}) as shop:
        with shop.connect() as database:
            for person in PEOPLE:
                database.execute("INSERT INTO users VALUES (%s, 'Somebody', 'DE', 'plus')", [person])
        together = threading.Barrier(len(PLANS))
        writers = [threading.Thread(target=_write_both, args=(shop, log, plan, together)) for plan in PLANS]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        shop.wait()
        yield shop


def _write_both(shop: Captured, log: Log, plan: str, together: threading.Barrier) -> None:
    """Write to the database, then to the log, with a moment in between: a pause, a retry, another machine."""
    chance = random.Random(plan)
    producer = KafkaProducer(**shop.settings.kafka_client("simulator"), acks="all")
    with shop.connect() as database:
        for person in PEOPLE:
            together.wait(timeout=60)
            database.execute("UPDATE users SET plan = %s WHERE user_id = %s", [plan, person])
            time.sleep(chance.random() * 0.02)
            record = json.dumps({"query_id": person, "user_id": person, "words": plan})
            topic = log.topics["stored_queries"].name
            producer.send(topic, key=person.encode(), value=record.encode()).get(timeout=30)
    producer.close()


def _plans_in_database(shop: Captured) -> dict[str, str]:
    return {person: row["plan"] for person, row in shop.rows("users").items()}


def test_two_writers_to_both_make_log_and_database_disagree(raced: Captured, log: Log) -> None:
    records = read_whole(raced.settings, log.topics["stored_queries"].name)
    newest: dict[str, Any] = {record.key.decode(): json.loads(record.value)["words"] for record in records}
    there = _plans_in_database(raced)
    assert newest.keys() == there.keys()
    assert {person for person in PEOPLE if newest[person] != there[person]}


def test_the_same_writes_by_way_of_the_capture_agree(raced: Captured) -> None:
    captured = {person: row["plan"] for person, row in raced.rows_in_log("users").items()}
    assert captured == _plans_in_database(raced)
    assert set(captured.values()) <= set(PLANS)
