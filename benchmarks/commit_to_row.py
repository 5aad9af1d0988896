"""From commit to row: how long a change of the database takes into a view that follows it, at a steady rate.

    commit ──► Debezium ──► Kafka ──► batch ──► row
    |──────────────── measured ────────────────|

Orders are placed one by one, at an even rate, while the view's own query runs, one batch after the other:
what it would wait between two batches comes on top. An order is there when the batch is committed that brings
it with its item.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from statistics import median, quantiles
from typing import TYPE_CHECKING

from tests.streams import following, job_of, rows_of, wait_while_running

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from headwater.shop.database.connecting import Connection
    from spark_apps.jobs import Job
    from spark_apps.query import Query
    from spark_apps.sinks import Commit
    from spark_apps.view import View
    from tests.captures import Captured
    from tests.streams import Log

ROWS_PER_ORDER = 2
ORDER = "INSERT INTO orders VALUES (%s, 'user-1', 'placed', now(), now())"
ITEM = "INSERT INTO order_items VALUES (%s, %s, 'product-1', 1, 10)"


@dataclass(slots=True)
class Orders:
    """When orders were committed, and when their rows were there."""

    committed: dict[str, float] = field(default_factory=dict)
    arrived: dict[str, float] = field(default_factory=dict)
    batches: int = 0

    @property
    def seconds(self) -> list[float]:
        """Return how long each took."""
        return [self.arrived[order] - committed for order, committed in self.committed.items()]

    @property
    def missing(self) -> int:
        """Return how many are not there yet."""
        return len(self.committed.keys() - self.arrived.keys())

    def figures(self) -> dict[str, float]:
        """Return what is worth keeping."""
        return {
            "rows": ROWS_PER_ORDER * len(self.committed),
            "batches": self.batches,
            "median_seconds": round(median(self.seconds), 1),
            "seconds_of_95_percent": round(quantiles(self.seconds, n=20)[-1], 1),
            "longest_seconds": round(max(self.seconds), 1),
        }


def follow(
    spark: SparkSession, log: Log, version: View, shop: Captured, *, rate: float, seconds: float
) -> Orders:
    """Place orders at a rate, rows a second, while a version follows them; return when each was where."""
    orders = Orders()
    job = _noting(spark, version, job_of(spark, log, version), orders)
    with following(spark, job) as query, shop.connect() as database:
        _place(database, orders, query, count=round(rate * seconds / ROWS_PER_ORDER), seconds=seconds)
        wait_while_running(query, "every order is a row", lambda: not orders.missing)
    return orders


def _noting(spark: SparkSession, version: View, job: Job, orders: Orders) -> Job:
    """Return a job that notes after each batch which orders are there."""

    def write(found: DataFrame, commit: Commit) -> None:
        job.write(found, commit)
        now = time.time()
        orders.batches += 1
        whole = rows_of(spark, version).where("order_id LIKE 'steady-%' AND pieces > 0")
        for row in whole.select("order_id").collect():
            orders.arrived.setdefault(row["order_id"], now)

    return replace(job, write=write)


def _place(database: Connection, orders: Orders, query: Query, *, count: int, seconds: float) -> None:
    began = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, began + number * seconds / count - time.monotonic()))
        query.tick()
        order = f"steady-{number}"
        with database.transaction():
            database.execute(ORDER, [order])
            database.execute(ITEM, [f"{order}-0", order])
        orders.committed[order] = time.time()
