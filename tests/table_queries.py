"""What each view of tables must hold, asked of the database itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.streams import rows_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_apps.view import View
    from tests.captures import Captured

QUERIES = {
    "user_profiles": "SELECT user_id, name, country, plan FROM users",
    "order_details": """
        SELECT order_id, o.user_id, status, country, coalesce(sum(quantity), 0)::bigint,
               coalesce(sum(quantity * price), 0)::numeric(18, 2)
        FROM orders o LEFT JOIN users u USING (user_id) LEFT JOIN order_items USING (order_id)
        GROUP BY order_id, o.user_id, status, country
    """,
    "home_timelines": """
        SELECT follower_id, post_id, author_id, body FROM (
            SELECT follower_id, post_id, user_id AS author_id, body,
                   row_number() OVER (PARTITION BY follower_id ORDER BY posted_at DESC, post_id DESC) AS place
            FROM posts JOIN follows ON followed_id = user_id
        ) AS seen WHERE place <= 100
    """,
    "inventory": """
        SELECT product_id, supplied, coalesce(sum(quantity) FILTER (WHERE status <> 'cancelled'), 0)::bigint
        FROM products LEFT JOIN order_items USING (product_id) LEFT JOIN orders USING (order_id)
        GROUP BY product_id
    """,
    "orders_by_country": """
        SELECT country, count(DISTINCT order_id), coalesce(sum(quantity * price), 0)::numeric(18, 2)
        FROM orders JOIN users USING (user_id) LEFT JOIN order_items USING (order_id)
        WHERE status <> 'cancelled' GROUP BY country
    """,
}
COLUMNS = {
    "user_profiles": ("user_id", "name", "country", "plan"),
    "order_details": ("order_id", "user_id", "status", "country", "pieces", "total"),
    "home_timelines": ("follower_id", "post_id", "author_id", "body"),
    "inventory": ("product_id", "supplied", "ordered"),
    "orders_by_country": ("country", "orders", "revenue"),
}


def asked(shop: Captured, view: str) -> set[tuple[Any, ...]]:
    """Ask the database."""
    with shop.connect() as database:
        return set(database.execute(QUERIES[view].encode()).fetchall())


def held(lake: SparkSession, version: View, view: str) -> set[tuple[Any, ...]]:
    """Return what a version holds, in the same columns."""
    return {tuple(row) for row in rows_of(lake, version).select(*COLUMNS[view]).collect()}
