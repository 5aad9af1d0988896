"""What each view of tables must hold, asked of the database itself: all its columns, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.declared import columns_in
from spark_apps import catalog
from tests.streams import rows_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_apps.view import View
    from tests.captures import Captured

QUERIES = {
    "user_profiles": "SELECT user_id, name, country, plan FROM users",
    "order_details": """
        SELECT order_id, o.user_id, status, ordered_at, country, plan, coalesce(sum(quantity), 0)::bigint,
               coalesce(sum(quantity * price), 0)::numeric(18, 2)
        FROM orders o LEFT JOIN users u USING (user_id) LEFT JOIN order_items USING (order_id)
        GROUP BY order_id, o.user_id, status, ordered_at, country, plan
    """,
    "home_timelines": """
        SELECT follower_id, post_id, author_id, body, posted_at, edited_at FROM (
            SELECT follower_id, post_id, user_id AS author_id, body, posted_at, edited_at,
                   row_number() OVER (PARTITION BY follower_id ORDER BY posted_at DESC, post_id DESC) AS place
            FROM posts JOIN follows ON followed_id = user_id
        ) AS seen WHERE place <= 100
    """,
    "inventory": """
        SELECT product_id, title, supplied, ordered, supplied - ordered FROM (
            SELECT product_id, title, supplied,
                   coalesce(sum(quantity) FILTER (WHERE status <> 'cancelled'), 0)::bigint AS ordered
            FROM products LEFT JOIN order_items USING (product_id) LEFT JOIN orders USING (order_id)
            GROUP BY product_id
        ) AS taken
    """,
    "orders_by_country": """
        SELECT country, count(DISTINCT order_id), coalesce(sum(quantity * price), 0)::numeric(18, 2)
        FROM orders JOIN users USING (user_id) LEFT JOIN order_items USING (order_id)
        WHERE status <> 'cancelled' GROUP BY country
    """,
}
# What no query can tell: a database does not keep when, and where in its own log, a row was written.
UNTOLD = {"user_profiles": ("changed_at",), "order_details": ("revision",)}


def asked(shop: Captured, view: str) -> set[tuple[Any, ...]]:
    """Ask the database."""
    with shop.connect() as database:
        return set(database.execute(QUERIES[view].encode()).fetchall())


def held(lake: SparkSession, version: View, view: str) -> set[tuple[Any, ...]]:
    """Return what a version holds, in the same columns; times without a zone, as the database has them."""
    columns = columns_in(catalog.view(view).schema)
    told = [
        f"CAST({name} AS TIMESTAMP_NTZ) AS {name}" if kind == "TIMESTAMP" else name
        for name, kind in columns.items()
        if name not in UNTOLD.get(view, ())
    ]
    return {tuple(row) for row in rows_of(lake, version).selectExpr(*told).collect()}
