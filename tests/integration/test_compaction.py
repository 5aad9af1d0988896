"""Compaction on a real broker: the cleaner forgets what was so; what it keeps is the table."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING

import pytest
from kafka import KafkaProducer
from kafka.admin import ConfigResource

from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.restoring import restore_from
from headwater.shop import database
from headwater.topics.reading import read_whole
from tests.captures import Captured, captured_shop, empty_database
from tests.compacting import IN_A_HURRY
from tests.streams import new_log
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings

USERS = 30
LEFT = ("user-0001", "user-0002", "user-0003")


@pytest.fixture(scope="module")
def shop(instance: Settings) -> Iterator[Captured]:
    """Make a shop whose people have moved, left and come back."""
    log = new_log(instance, "user_changelog", "post_changelog", "order_changelog", "order_item_changelog")
    topics = {topic.table: topic for topic in log.topics.values()}
    with captured_shop(instance, f"shop_{uuid.uuid4().hex[:8]}", topics) as captured:
        _live_through(captured)
        yield captured


def _live_through(shop: Captured) -> None:
    with shop.connect() as connection:
        connection.execute(
            "INSERT INTO users SELECT 'user-' || to_char(n, 'FM0000'), 'Somebody', 'XX', 'free' "
            f"FROM generate_series(1, {USERS}) AS n".encode()
        )
        connection.execute("UPDATE users SET country = 'YY'")
        connection.execute("DELETE FROM users WHERE user_id = ANY(%s)", [list(LEFT)])
        connection.execute("INSERT INTO users VALUES (%s, 'Somebody', 'DE', 'plus')", [LEFT[-1]])
        connection.execute("UPDATE users SET country = 'DE'")
    shop.work(seed=1, transactions=60, users=USERS)
    shop.wait()


def _told(shop: Captured) -> dict[str, list[str | None]]:
    """Return what the log still tells of each person: the countries, None where it says no more."""
    told: dict[str, list[str | None]] = {}
    for record in read_whole(shop.settings, shop.topics["users"].name):
        value = json.loads(record.value) if record.value else {}
        told.setdefault(record.key.decode(), []).append(value.get("country"))
    return told


def _go_on(shop: Captured) -> None:
    """Let everybody change their plan: a segment is closed by what is written after it."""
    with shop.connect() as connection:
        connection.execute("UPDATE users SET plan = CASE plan WHEN 'pro' THEN 'plus' ELSE 'pro' END")
    shop.wait()


def test_cleaner_keeps_the_latest_and_forgets_who_has_left(shop: Captured) -> None:
    before = _told(shop)
    assert {"XX", "YY", "DE"} <= {country for told in before.values() for country in told}
    assert None in before[LEFT[0]]
    with admin_client(shop.settings, "admin") as admin:
        admin.alter_configs([ConfigResource("topic", shop.topics["users"].name, IN_A_HURRY)])

    def cleaned() -> bool:
        _go_on(shop)
        told = _told(shop)
        older = {country for of_one in told.values() for country in of_one} - {"DE"}
        return not older and not told.keys() & set(LEFT[:2])

    wait_for("the cleaner", cleaned)
    told = _told(shop)
    assert told.keys() == {f"user-{number:04d}" for number in range(3, USERS + 1)}
    assert shop.rows_in_log("users") == shop.rows("users")


def test_table_restored_from_the_compacted_topic_is_the_source_row_for_row(
    instance: Settings, shop: Captured
) -> None:
    producer = KafkaProducer(**instance.kafka_client("simulator"))
    producer.send(shop.topics["users"].name, key=b"user-0004", value=b"broken").get(timeout=30)
    producer.close()
    with empty_database(instance) as name:
        reports: list[str] = []
        for table in ("users", "posts", "orders"):
            written = restore_from(instance, shop.topics[table], name, reports.append)
            restored = Captured(instance, name, shop.topics)
            assert restored.rows(table) == shop.rows(table)
            assert written == len(shop.rows(table)) > 0
        assert reports[0].startswith("left out: offset ")
        assert reports[1] == f"wrote {USERS - 2} of {USERS - 2} rows"


def test_restore_refuses_rows_and_what_they_refer_to(instance: Settings, shop: Captured) -> None:
    with empty_database(instance) as name:
        with pytest.raises(Refusal, match="refers to first"):
            restore_from(instance, shop.topics["order_items"], name, print)
        with database.connect(instance, name) as other:
            other.execute("INSERT INTO users VALUES ('ada', 'Ada', 'GB', 'pro')")
        with pytest.raises(Refusal, match="has rows already"):
            restore_from(instance, shop.topics["users"], name, print)
        with database.connect(instance, name) as other:
            assert other.execute("SELECT count(*) FROM users").fetchone() == (1,)


def test_restore_refuses_names_that_are_none(instance: Settings, shop: Captured) -> None:
    for name in ("other host=elsewhere", "../shop", "", "Shop"):
        with pytest.raises(Refusal, match="cannot name a database"):
            restore_from(instance, shop.topics["users"], name, print)
