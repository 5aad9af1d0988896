"""Views with tables: streams joined with what was true at the time of each event.

What a version has heard is kept in tables of its own, in the lake: every change of its tables, and the events
of late. A batch is then three steps, each of which may run again after a crash:

    1  remember the changes and the events of this batch
    2  match the new events with the history of the tables
    3  where a change has come after events that it is older than, match those events anew

So an event is answered at once, and a change that was slower than the events it concerns still reaches them:
whatever the batches, the rows are those of the whole log at once.
"""

from __future__ import annotations

from datetime import timedelta
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps import changelogs, clocks, histories, internals, pipeline, sinks
from spark_apps.resolving import GONE
from spark_apps.session import CATALOG

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from headwater.topics import Topic
    from spark_apps.view import View

BATCHES_BETWEEN_CLEANINGS = 360
MICROSECOND = timedelta(microseconds=1)


def heard(streams: Mapping[str, DataFrame]) -> DataFrame:
    """Put several streams into one, each with a column of its own."""
    named = [
        stream.select(F.lit(name).alias("topic"), F.struct("*").alias(name))
        for name, stream in streams.items()
    ]
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), named)


def heard_of(heard: DataFrame, name: str) -> DataFrame:
    """Return one stream out of several, as it is kept."""
    part = heard.where(F.col("topic") == name).select(f"{name}.*")
    return part.drop("clock_error")


def heard_in(heard: DataFrame) -> sinks.Bounds:
    """Return how many rows of all streams are `found`, and from which `topics` they are."""
    return heard.selectExpr("count(1) AS found", "collect_set(topic) AS topics").collect()[0].asDict()


def table_of(heard: DataFrame, name: str) -> DataFrame:
    """Read a table in the session of the batch: what its sink sets there is nobody else's."""
    return heard.sparkSession.table(f"{CATALOG}.{name}")


class Memory:
    """What one version of a view with tables has heard."""

    def __init__(self, spark: SparkSession, view: View, topics: Mapping[str, Topic]) -> None:
        self._spark, self._view, self._topics = spark, view, topics
        for name in view.inputs:
            schema = f"{clocks.event_schema(topics[name])}, late BOOLEAN"
            sinks.create_table(spark, view.state_table(name), schema, "hours(event_time)")
        for name in view.tables:
            sinks.create_table(
                spark,
                view.state_table(name),
                changelogs.change_schema(topics[name]),
                f"bucket(2, {topics[name].key})",
            )

    def rows(self, heard: DataFrame, commit: sinks.Commit, present: set[str]) -> DataFrame:
        """Remember a batch of these topics, and return the rows that follow from it, held."""
        for name in sorted(present):
            self._remember(name, heard_of(heard, name), commit)
        changed_at = self._earliest_change(heard, present)
        events = [self._events(heard, name, changed_at) for name in self._view.inputs]
        histories = [
            changelogs.history(table_of(heard, self._view.state_table(name)), self._topics[name])
            for name in self._view.tables
        ]
        rows = pipeline.rows(self._view, events, histories)
        if changed_at is not None:
            rows = self._with_farewells(rows, table_of(heard, self._view.table), events, changed_at)
        return internals.hold(rows)

    def _remember(self, name: str, part: DataFrame, commit: sinks.Commit) -> None:
        """Keep a part of a batch, unless a try before has kept it: every change, and the events of late."""
        table = self._view.state_table(name)
        if histories.has_batch(self._spark, table, commit.query, commit.batch):
            return
        if name in self._view.inputs:
            part = part.where(F.col("event_time") >= F.timestamp_micros(F.lit(self._needed_since(part))))
        sinks.append(part, table, commit)

    def forget(self, heard: DataFrame, commit: sinks.Commit) -> None:
        """Let old events go, now and then: no change that is still to come can be older than they are."""
        if commit.batch % BATCHES_BETWEEN_CLEANINGS == 0:
            for name in self._view.inputs:
                table, needed_since = self._view.state_table(name), self._needed_since(heard_of(heard, name))
                sinks.forget(self._spark, table, "event_time", needed_since)

    def _needed_since(self, events: DataFrame) -> int:
        newest = clocks.micros_of(events, F.max("event_time")) or 0
        return newest - self._view.remembers // MICROSECOND

    def _earliest_change(self, heard: DataFrame, present: set[str]) -> int | None:
        changes = [heard_of(heard, name) for name in self._view.tables if name in present]
        moments = (clocks.micros_of(found, F.min("changed_at")) for found in changes)
        return min((moment for moment in moments if moment is not None), default=None)

    def _events(self, heard: DataFrame, name: str, changed_at: int | None) -> DataFrame:
        """Return the new events, and those before them that a change has come too late for."""
        fresh = heard_of(heard, name)
        if changed_at is None:
            return fresh
        remembered = table_of(heard, self._view.state_table(name))
        concerned = remembered.where(F.col("event_time") >= F.timestamp_micros(F.lit(changed_at)))
        # Most of the batch is remembered already, too.
        return concerned.unionByName(fresh).dropDuplicates(["partition", "offset"])

    def _with_farewells(
        self, rows: DataFrame, there: DataFrame, events: Sequence[DataFrame], changed_at: int
    ) -> DataFrame:
        """Add the rows that are there and no longer follow from the events at hand."""
        view = self._view
        concerned = there.where(F.col(view.time) >= F.timestamp_micros(F.lit(changed_at)))
        moments = reduce(
            lambda one, other: one.union(other), [found.select("event_time") for found in events]
        )
        at_hand = concerned.join(moments, on=concerned[view.time] == moments["event_time"], how="left_semi")
        left = at_hand.join(rows, on=list(view.keys), how="left_anti").select(*there.columns)
        return rows.withColumn(GONE, F.lit(False)).unionByName(left.withColumn(GONE, F.lit(True)))
