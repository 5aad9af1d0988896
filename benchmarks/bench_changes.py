"""How fast changed rows of a database come into a view: `make bench-changes [CHANGES=50000] [RATE=20]`.

    SQL ──► PostgreSQL ──► Debezium ──► Kafka ──► order_details
           |── captured ─────────────|── followed ─────────|

Orders are placed, with two items each, and paid, in transactions of a thousand; then everybody moves, and all
their orders are told anew. Both halves are measured on their own, one after the other, because together they
would share the machine. Then rows change at a steady rate while the view follows (`commit_to_row.py`). A view
that is not the query over the database has no speed; otherwise figures are kept in docs/figures/changes.json.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from benchmarks.commit_to_row import follow
from benchmarks.figures import keep
from benchmarks.ground import own_instance
from spark_apps import catalog
from tests.captures import Captured, captured_shop
from tests.people import SOMEBODY
from tests.spark_fixture import platform_spark
from tests.streams import job_of, new_log, run
from tests.table_queries import asked, held

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from spark_apps.view import View
    from tests.streams import Log

CHANGES = int(os.environ.get("CHANGES", "50000"))
RATE = float(os.environ.get("RATE", "20"))
STEADY_SECONDS = 60.0
VIEW = "order_details"
USERS, AT_ONCE = 1000, 1000
# Of four changes one places an order, two add an item, one pays it.
ORDERS = CHANGES // 4


def main() -> int:
    """Measure, and check."""
    console = Console()
    with (
        own_instance("bench", "topics", "registry", "capture") as settings,
        platform_spark(settings, "benchmark", memory="3g") as spark,
    ):
        log = new_log(settings, *catalog.view(VIEW).tables)
        version = log.view(catalog.view(VIEW))
        topics = {topic.table: topic for topic in log.topics.values()}
        with captured_shop(settings, f"shop{log.suffix}", topics) as shop:
            found = list(measured(spark, log, version, shop))
            right = held(spark, version, VIEW) == asked(shop, VIEW)
    if not right:
        console.print(f"{VIEW} is not the query over the database: no speed counts")
        return 1
    for each in found:
        keep("changes", each, "what", "changes")
        console.print(table(each))
    return 0


def measured(spark: SparkSession, log: Log, version: View, shop: Captured) -> Iterator[dict[str, Any]]:
    """Measure both halves on their own, and then the whole way."""
    opened(shop)
    run(spark, job_of(spark, log, version))  # compiles
    for name, change in (("orders placed and paid", sell), ("everybody moves", move)):
        began = time.monotonic()
        rows = change(shop)
        captured = time.monotonic()
        run(spark, job_of(spark, log, version))
        yield {
            "what": name,
            "changes": CHANGES,
            "rows": rows,
            "captured_per_second": round(rows / (captured - began)),
            "followed_per_second": round(rows / (time.monotonic() - captured)),
        }
    orders = follow(spark, log, version, shop, rate=RATE, seconds=STEADY_SECONDS)
    what = f"from commit to row, at {RATE:g} rows a second"
    yield {"what": what, "changes": CHANGES, **orders.figures()}


def table(figure: dict[str, Any]) -> Table:
    """Return a figure as people read it."""
    found = Table(*(name.replace("_", " ") for name in figure))
    found.add_row(*(f"{each:,}" if isinstance(each, int) else str(each) for each in figure.values()))
    return found


def opened(shop: Captured) -> None:
    """Let there be people and products."""
    with shop.connect() as database:
        database.execute(
            "INSERT INTO users SELECT 'user-' || n, %s, 'DE', 'free' FROM generate_series(1, %s) AS n",
            [SOMEBODY, USERS],
        )
        database.execute("INSERT INTO products VALUES ('product-1', 'Red Chair', 'furniture', 10, 1000000)")
    shop.wait()


def sell(shop: Captured) -> int:
    """Let orders be placed and paid; return how many rows that changed, when all are in the log."""
    rows = 0
    with shop.connect() as database:
        for first in range(0, ORDERS, AT_ONCE):
            numbers = [first, min(first + AT_ONCE, ORDERS) - 1]
            for statement in (
                "INSERT INTO orders SELECT 'order-' || n, 'user-' || n %% 1000 + 1, 'placed', now(), now() "
                "FROM generate_series(%s::int, %s) AS n",
                "INSERT INTO order_items "
                "SELECT 'item-' || n || '-' || place, 'order-' || n, 'product-1', 1, 10 "
                "FROM generate_series(%s::int, %s) AS n, generate_series(1, 2) AS place",
                "UPDATE orders SET status = 'paid' "
                "FROM generate_series(%s::int, %s) AS n WHERE order_id = 'order-' || n",
            ):
                with database.transaction():
                    rows += database.execute(statement, numbers).rowcount
    shop.wait()
    return rows


def move(shop: Captured) -> int:
    """Let everybody move to another country."""
    with shop.connect() as database:
        rows = database.execute("UPDATE users SET country = 'FR'").rowcount
    shop.wait()
    return rows


if __name__ == "__main__":
    sys.exit(main())
