"""Views of tables on real parts: whatever changes, they are the query over the database, and only that."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING

import pytest
from kafka import KafkaProducer
from pyspark.errors import StreamingQueryException

from headwater.topics import load_topics
from headwater.topics.reading import read_whole
from spark_apps import catalog, histories, sinks
from tests.captures import Captured, captured_shop
from tests.people import SOMEBODY
from tests.streams import Log, assert_up_to_date, job_of, new_log, rows_of, run
from tests.table_queries import QUERIES, asked, held

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka.consumer.fetcher import ConsumerRecord
    from pyspark.sql import Row, SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View

USERS = 30
TOPICS = [name for name, topic in load_topics().items() if topic.table]


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    return new_log(instance, *TOPICS)


@pytest.fixture(scope="module")
def shop(instance: Settings, log: Log) -> Iterator[Captured]:
    topics = {topic.table: topic for topic in log.topics.values()}
    with captured_shop(instance, f"shop{log.suffix}", topics) as captured:
        with captured.connect() as database:
            database.execute(
                f"INSERT INTO users SELECT 'user-' || to_char(n, 'FM0000'), '{SOMEBODY}', "
                "CASE WHEN n % 2 = 0 THEN 'DE' ELSE 'FR' END, 'free' "
                f"FROM generate_series(1, {USERS}) AS n".encode()
            )
        yield captured


@pytest.fixture(scope="module")
def versions(lake: SparkSession, log: Log, shop: Captured) -> dict[str, View]:
    """Return a version of each view of tables that has followed a busy shop through many batches."""
    found = {name: log.view(view) for name, view in catalog.views().items() if view.of_tables}
    for seed in range(2):
        work(shop, seed, transactions=120)
        follow(lake, log, found)
    return found


def work(shop: Captured, seed: int, transactions: int) -> None:
    shop.work(seed, transactions=transactions, users=USERS)
    with shop.connect() as database:
        database.execute(
            "UPDATE users SET country = 'US', plan = 'pro' WHERE user_id = %s", [f"user-000{seed + 1}"]
        )
        database.execute("DELETE FROM users WHERE user_id = %s", [f"user-001{seed}"])
        database.execute("DELETE FROM orders WHERE order_id IN (SELECT order_id FROM orders LIMIT 2)")
    shop.wait()


def follow(lake: SparkSession, log: Log, versions: dict[str, View]) -> None:
    run(lake, *(job_of(lake, log, view) for view in versions.values()))


@pytest.mark.parametrize("view", QUERIES)
def test_view_is_the_query_over_the_database(
    lake: SparkSession, shop: Captured, versions: dict[str, View], view: str
) -> None:
    assert held(lake, versions[view], view) == asked(shop, view)
    assert asked(shop, view)


def test_every_view_of_tables_is_asked_for() -> None:
    assert QUERIES.keys() == {name for name, view in catalog.views().items() if view.of_tables}


def test_somebody_who_moves_re_emits_all_their_orders_with_a_higher_revision_and_nobody_elses(
    lake: SparkSession, log: Log, shop: Captured, versions: dict[str, View]
) -> None:
    details = versions["order_details"]
    mover, orders = _busiest(_by_order(lake, details))
    moved = _revised(lake, log, shop, details, "UPDATE users SET country = 'JP' WHERE user_id = %s", mover)
    assert moved == orders
    after = _by_order(lake, details)
    assert {after[order]["country"] for order in moved} == {"JP"}


def test_what_is_deleted_raises_the_revision_of_what_it_was_part_of(
    lake: SparkSession, log: Log, shop: Captured, versions: dict[str, View]
) -> None:
    """Of a row that is deleted the capture tells no more than its key; one may come and go in one batch."""
    details = versions["order_details"]
    leaver, orders = _busiest(_by_order(lake, details))
    order, another, *_ = sorted(orders)
    newest = (
        "DELETE FROM order_items WHERE item_id = (SELECT max(item_id) FROM order_items WHERE order_id = %s)"
    )
    assert _revised(lake, log, shop, details, newest, order) == {order}
    with shop.connect() as database:
        database.execute(
            "INSERT INTO order_items SELECT 'passing', %s, product_id, 1, price FROM products LIMIT 1",
            [another],
        )
    passed = "DELETE FROM order_items WHERE item_id = %s"
    assert _revised(lake, log, shop, details, passed, "passing") == {another}
    assert _revised(lake, log, shop, details, "DELETE FROM users WHERE user_id = %s", leaver) == orders
    after = _by_order(lake, details)
    assert {after[order]["country"] for order in orders} == {None}
    assert_up_to_date(lake, log, details)


def _revised(lake: SparkSession, log: Log, shop: Captured, details: View, change: str, what: str) -> set[str]:
    """Change something, let the view follow; return the orders whose revision has risen, as none may fall."""
    before = _by_order(lake, details)
    with shop.connect() as database:
        database.execute(change.encode(), [what])
    shop.wait()
    run(lake, job_of(lake, log, details))
    after = _by_order(lake, details)
    risen = {order for order, row in after.items() if row["revision"] > before[order]["revision"]}
    same = {order for order, row in after.items() if row == before[order]}
    assert risen | same == after.keys() == before.keys()
    return risen


def _by_order(lake: SparkSession, details: View) -> dict[str, Row]:
    return {row["order_id"]: row for row in rows_of(lake, details).collect()}


def _busiest(rows: dict[str, Row]) -> tuple[str, set[str]]:
    """Return who of those still there has the most orders, and these."""
    found: dict[str, set[str]] = {}
    for order, row in rows.items():
        if row["country"] is not None:
            found.setdefault(row["user_id"], set()).add(order)
    return max(found.items(), key=lambda item: len(item[1]))


def test_old_record_that_comes_again_in_a_later_batch_changes_nothing(
    lake: SparkSession, log: Log, shop: Captured, versions: dict[str, View]
) -> None:
    """Of all rows that have changed since, or are gone, the first that was ever told of them."""
    some = {name: versions[name] for name in ("inventory", "order_details")}
    follow(lake, log, some)
    before = {name: (held(lake, view, name), _batch(lake, view)) for name, view in some.items()}
    for name in ("order_item_changelog", "order_changelog", "product_changelog", "user_changelog"):
        assert _tell_first_again(log, log.topics[name].name)
    follow(lake, log, some)
    for name, view in some.items():
        assert held(lake, view, name) == before[name][0] == asked(shop, name), name
        assert _batch(lake, view) > before[name][1], name
    assert_up_to_date(lake, log, versions["order_details"])


def _batch(lake: SparkSession, view: View) -> int:
    newest = histories.newest(lake, view.table)
    assert newest is not None
    return newest.batch


def _tell_first_again(log: Log, topic: str) -> int:
    """Write once more the first record of each row that has changed since; return how many."""
    records: dict[bytes, list[ConsumerRecord]] = {}
    for record in read_whole(log.settings, topic):
        if record.value is not None:
            records.setdefault(record.key, []).append(record)
    old = [of_one[0] for of_one in records.values() if _lsn(of_one[0]) < _lsn(of_one[-1])]
    producer = KafkaProducer(**log.settings.kafka_client("admin"), acks="all")
    for record in old:
        producer.send(topic, key=record.key, value=record.value, partition=record.partition)
    producer.close()
    return len(old)


def _lsn(record: ConsumerRecord) -> int:
    return int(json.loads(record.value)["lsn"])


def test_death_between_its_tables_and_its_rows_loses_nothing(
    lake: SparkSession, log: Log, shop: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second try must still know what the rows were before: the country that somebody has left."""
    view = log.view(catalog.view("orders_by_country"))
    run(lake, job_of(lake, log, view))
    with shop.connect() as database:
        database.execute("UPDATE users SET country = 'IT' WHERE country = 'DE'")
    shop.wait()
    with monkeypatch.context() as patch:
        patch.setattr(sinks, "upsert", _die)
        with pytest.raises(StreamingQueryException, match="died"):
            run(lake, job_of(lake, log, view))
    run(lake, job_of(lake, log, view))
    assert held(lake, view, "orders_by_country") == asked(shop, "orders_by_country")
    assert "DE" not in {country for country, *_ in held(lake, view, "orders_by_country")}


def _die(*_: object) -> None:
    raise RuntimeError(f"died {uuid.uuid4().hex[:4]}")
