"""Who tells an output topic: the version that readers see, and no other.

                    promoted                                   rolled back
    v1   tells ────────┤ silent ─────────────────────────────────├ tells what v2 has not told, then its news
    v2   silent ───────├ tells what v1 has not told, then its news ┤ silent

Each commit says whether it was told. So the history of its own table tells a version that it has read in
silence, and the histories of all versions of the view who spoke last, and up to where: rows that were not
told by then come first, with the next batch. A version is asked whether it is live at each commit. It tells
before it commits; whoever dies in between tells again, under the same ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from headwater.registry import releases
from spark_apps import histories, kafka_log, publishing
from spark_apps.news import news, untold
from spark_apps.session import CATALOG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from headwater.registry import Connection
    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.sinks import Bounds, Commit
    from spark_apps.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a version stands among those of its view, asked whenever it matters."""

    live: Callable[[], bool]  # whether readers see it, and its driver may write topics
    tables: Callable[[], Iterable[str]]  # of all versions, its own among them


def standing(registry: Connection, speaks: bool, version: Mapping[str, Any]) -> Standing:
    """Return how a version stands, kept by a driver that may write topics or not."""

    def live() -> bool:
        return speaks and releases.version(registry, version["query"])["status"] == "live"

    def tables() -> list[str]:
        versions = releases.versions(registry, version["view"])
        return [found["table_name"] for found in versions if found["dropped_at"] is None]

    return Standing(live=live, tables=tables)


class Voice:
    """What one version has to say."""

    def __init__(self, settings: Settings, view: View, topic: Topic, standing: Standing) -> None:
        self._settings, self._view, self._topic, self._standing = settings, view, topic, standing

    def tell(
        self, spark: SparkSession, commit: Commit, rows: DataFrame | None = None, bounds: Bounds | None = None
    ) -> bool:
        """Tell what was read in silence, and then what is news in the rows of a batch, if it has any.

        Returns whether the topic has heard of all rows there are, once the batch is committed.
        """
        if not self._standing.live():
            return False
        if commit.after is None or not commit.after.told:
            self._send(self._untold(spark))
        if rows is not None:
            self._send(news(rows, self._view, bounds or {}) if self._view.mode == "upsert" else rows)
        return True

    def _untold(self, spark: SparkSession) -> DataFrame:
        present = self._recent(spark.table(f"{CATALOG}.{self._view.table}"))
        last = histories.last_told(spark, self._standing.tables())
        if last is None:
            return present
        told = self._recent(histories.rows_at(spark, last.table, last.snapshot))
        return untold(present, told, self._view)

    def _recent(self, rows: DataFrame) -> DataFrame:
        """Return the rows whose records the topic would still hold, had they been told in time."""
        time, retention = self._view.time, self._topic.retention
        if retention is None or dict(rows.dtypes).get(time) != "timestamp":
            return rows
        return rows.where(F.col(time) >= F.lit(datetime.now(UTC) - retention))

    def _send(self, rows: DataFrame) -> None:
        records = publishing.records(rows, self._view, self._topic)
        kafka_log.send(records, self._settings, self._topic.name)
