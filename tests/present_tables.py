"""Tables as a view of tables sees them, from rows that say only what matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.topics import load_topics
from spark_apps import changelogs
from tests.dataframes import dataframe
from tests.log_records import at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_apps.view import View

TOPICS = load_topics()
UNSAID = {"changed_at": at(), "gone": False, "lsn": 1, "partition": 0, "offset": 0}


def table(spark: SparkSession, topic: str, *rows: dict[str, Any]) -> DataFrame:
    """Return a table as it is now; what a row does not say is null, or as good as any."""
    return changelogs.present(_kept(spark, topic, rows), TOPICS[topic])


def table_seen_by(view: View, spark: SparkSession, topic: str, *rows: dict[str, Any]) -> DataFrame:
    """Return a table as a view sees it: one that wants farewells has them."""
    return changelogs.seen(_kept(spark, topic, rows), TOPICS[topic], view)


def _kept(spark: SparkSession, topic: str, rows: tuple[dict[str, Any], ...]) -> DataFrame:
    declared = TOPICS[topic]
    columns = [*declared.fields, *(name for name in UNSAID if name not in declared.fields)]
    known = [tuple((UNSAID | row).get(name) for name in columns) for row in rows]
    return dataframe(spark, known, changelogs.change_schema(declared))
