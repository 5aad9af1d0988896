"""Views of tables alone: what is so now, made of rows that come and change and go.

A transform of tables is a query over all of them. After each change it would have to run as a whole; instead
a view says of which `unit` its rows are (an order, a person, a country), and for each of its tables, in SQL,
which units a changed row touches. A batch is then three steps, each of which may run again after a crash:

    1  keep the newest row of each key, be it gone, in a table of this version's own for each topic
    2  find the units that were touched: by the rows as they were before, and as they are now
    3  make the rows of these units anew, and take back those that no longer follow

So one person who moves makes all their orders anew, and nobody else's. Whatever the batches, the rows are
those of the query over the whole tables.

A table that has the unit among its columns is narrowed to the units at hand before the query runs: such a row
belongs to its own unit and to no other.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_apps import changelogs, histories, internals, sinks
from spark_apps.remembering import heard_of, table_of
from spark_apps.resolving import GONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, SparkSession

    from headwater.topics import Topic
    from spark_apps.view import View

CHANGED = "changed"


class Tables:
    """The tables that one version of a view is made of, as they are now."""

    def __init__(self, spark: SparkSession, view: View, topics: Mapping[str, Topic]) -> None:
        self._spark, self._view = spark, view
        self._topics = {name: topics[name] for name in view.tables}
        for name, topic in self._topics.items():
            schema, key = changelogs.change_schema(topic), topic.key
            sinks.create_table(spark, view.state_table(name), schema, f"bucket(2, {key})", mark_rows=True)

    def rows(self, heard: DataFrame, commit: sinks.Commit, present: set[str]) -> DataFrame:
        """Keep a batch, and return the rows of the units that it touches, held; those no more are gone.

        What is `present` are the topics that it has changes of.
        """
        for name in sorted(present):
            self._keep(name, heard_of(heard, name), commit)
        units = internals.hold(self._touched(heard, present, commit))
        try:
            return internals.hold(self._made_anew(heard, units))
        finally:
            internals.let_go(units)

    def forget(self, heard: DataFrame, commit: sinks.Commit) -> None:
        """Forget nothing: what is so now is needed for ever."""

    def _keep(self, name: str, changes: DataFrame, commit: sinks.Commit) -> None:
        """Keep the newest row of each key, unless a try before has done so."""
        table = self._view.state_table(name)
        if not histories.has_batch(self._spark, table, commit.query, commit.batch):
            topic = self._topics[name]
            newest = changelogs.newest(changes, topic, self._view.unit)
            sinks.replace_older(newest, table, topic.key, self._view.unit, commit)

    def _touched(self, heard: DataFrame, present: set[str], commit: sinks.Commit) -> DataFrame:
        """Return the units that the rows of a batch touch, as they were and as they are."""
        session = heard.sparkSession
        for name, topic in self._topics.items():
            changelogs.present(self._kept(heard, name), topic).createOrReplaceTempView(name)
        found = []
        for name in sorted(present):
            self._changed(heard, name, commit).createOrReplaceTempView(CHANGED)
            found.append(session.sql(self._view.touches[name]).toDF(self._view.unit))
        return reduce(DataFrame.union, found).distinct()

    def _changed(self, heard: DataFrame, name: str, commit: sinks.Commit) -> DataFrame:
        topic, table = self._topics[name], self._view.state_table(name)
        keys = heard_of(heard, name).select(topic.key).distinct()
        before = histories.rows_before(heard.sparkSession, table, commit.query, commit.batch)
        either = self._kept(heard, name).unionByName(before)
        return changelogs.seen(either.join(keys, on=topic.key, how="left_semi"), topic, self._view)

    def _made_anew(self, heard: DataFrame, units: DataFrame) -> DataFrame:
        view = self._view
        tables = [
            self._narrowed(changelogs.seen(self._kept(heard, name), topic, view), units)
            for name, topic in self._topics.items()
        ]
        rows = view.transform(*tables).join(units, on=view.unit, how="left_semi")
        there = table_of(heard, view.table).join(units, on=view.unit, how="left_semi")
        left = there.join(rows, on=_same(there, rows, view.keys), how="left_anti")
        return rows.withColumn(GONE, F.lit(False)).unionByName(left.withColumn(GONE, F.lit(True)))

    def _narrowed(self, table: DataFrame, units: DataFrame) -> DataFrame:
        unit = self._view.unit
        return table.join(units, on=unit, how="left_semi") if unit in table.columns else table

    def _kept(self, heard: DataFrame, name: str) -> DataFrame:
        return table_of(heard, self._view.state_table(name))


def touching(
    spark: SparkSession, view: View, newest: Mapping[str, DataFrame], topics: Mapping[str, Topic], unit: str
) -> dict[str, DataFrame]:
    """Return, out of the newest changes of each table, those of rows that touch a unit."""
    for name, changes in newest.items():
        changelogs.present(changes, topics[name]).createOrReplaceTempView(name)
    return {name: _touching(spark, view, name, changes, unit) for name, changes in newest.items()}


def _touching(spark: SparkSession, view: View, name: str, changes: DataFrame, unit: str) -> DataFrame:
    """Ask which units each row touches; SQL that does not begin as expected is answered with all rows."""
    before, begins, after = view.touches[name].partition(f" FROM {CHANGED}")
    if not begins:
        return changes
    (changes if view.farewells else changes.where("NOT gone")).createOrReplaceTempView(CHANGED)
    touched = spark.sql(f"{before}, {CHANGED}.partition, {CHANGED}.offset{begins}{after}")
    places = touched.toDF(view.unit, "partition", "offset").where(F.col(view.unit) == unit)
    return changes.join(places, on=["partition", "offset"], how="left_semi")


def _same(one: DataFrame, other: DataFrame, keys: tuple[str, ...]) -> Column:
    return reduce(lambda left, right: left & right, (one[key].eqNullSafe(other[key]) for key in keys))
