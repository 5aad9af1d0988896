"""People as the shop knows them now: one row per person, none for who has left.

The simplest view of a table: the database's own rows, by way of the log.

    users (database)  ──►  user_changelog  ──►  ada: pro      ben: free      (cem has left: no row)

What was so earlier is asked of the view's history, or of the log.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from spark_apps.view import Check, View

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def transform(users: DataFrame) -> DataFrame:
    """Return the rows as they are."""
    return users.select("user_id", "name", "country", "plan", "changed_at")


VIEW = View(
    name="user_profiles",
    version=1,
    app="insights",
    owner="customers",
    tables=("user_changelog",),
    transform=transform,
    schema="user_id STRING, name STRING, country STRING, plan STRING, changed_at TIMESTAMP",
    keys=("user_id",),
    unit="user_id",
    touches={"user_changelog": "SELECT user_id FROM changed"},
    grain="event",
    mode="upsert",
    freshness=timedelta(minutes=3),
    checks=(
        Check(
            expectation="expect_column_values_to_be_in_set",
            arguments={"column": "plan", "value_set": ["free", "plus", "pro"]},
        ),
    ),
)
