"""Changelogs: the states of things, one record for each change, and what was true when.

    records   ada: free ──────── ada: pro ─────── ada: ∅
    history   [free · · · · · · )[pro · · · · · · )

A change holds from the time of its commit in the database (or, if it comes from elsewhere, from the time at
which the log received it); an event is matched with the state at its own event time. So a replay finds what
the live stream found, although things have changed since. What the log has compacted away is gone, for a
replay as for everybody.

Whoever does not ask for the past sees the `present`: the newest row of each key. The order is that of the
log, and a change that is told again after a newer one, as after a restart of the capture, is no news.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from spark_apps import clocks
from spark_apps.decode import DELETED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.window import WindowSpec

    from headwater.topics import Topic
    from spark_apps.view import View


def changes(decoded: DataFrame, topic: Topic) -> DataFrame:
    """Turn decoded records into changes: the fields, from when on they hold, and whether it is a farewell."""
    # The record's own key, because it is what the log compacts by, and all that a farewell has.
    fields = [
        f"CAST(key AS STRING) AS {name}" if name == topic.key else clocks.field(name, topic)
        for name in topic.fields
    ]
    return decoded.where("reason IS NULL").selectExpr(
        *fields,
        "coalesce(timestamp_millis(event.committed_at), timestamp) AS changed_at",
        f"value IS NULL OR {DELETED} AS gone",
        "event.lsn",
        "partition",
        "offset",
    )


def change_schema(topic: Topic) -> str:
    """Return the columns of a change, as SQL writes them."""
    rest = "changed_at TIMESTAMP, gone BOOLEAN, lsn BIGINT, partition INT, offset BIGINT"
    return f"{clocks.fields_schema(topic)}, {rest}"


def history(changes: DataFrame, topic: Topic) -> DataFrame:
    """Return what was true when: the topic's fields, `valid_from` and `valid_until` (null: still)."""
    of_one_key = Window.partitionBy(topic.key).orderBy("changed_at", "partition", "offset")
    stretches = _news(changes, topic).withColumn("valid_until", F.lead("changed_at").over(of_one_key))
    return stretches.where("NOT gone").select(
        *topic.fields, F.col("changed_at").alias("valid_from"), "valid_until"
    )


def newest(changes: DataFrame, topic: Topic, unit: str = "") -> DataFrame:
    """Return the newest change of each key, be it a farewell; that tells the `unit` the row was of, too.

    A key has one partition, and its order is the order. Only where partitions were added, or a log was put
    together by hand, has it several; of their last changes the latest counts.
    """
    latest_first = Window.partitionBy(topic.key, "partition").orderBy(F.desc("offset"))
    last = _numbered(_with_unit(_news(changes, topic), topic, unit), latest_first)
    across = Window.partitionBy(topic.key).orderBy(F.desc("changed_at"), F.desc("partition"))
    return _numbered(last, across).withColumn("lsn", F.col("reached")).drop("reached")


def _news(changes: DataFrame, topic: Topic) -> DataFrame:
    """Leave out what is told again after a newer change, and a second farewell.

    The capture says farewell twice, for those who read rows and for compaction. The second time it has no
    time of its own, and the row may be back by then.
    """
    in_order = Window.partitionBy(topic.key, "partition").orderBy("offset")
    until_now = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    known = changes.select(
        "*",
        F.max("lsn").over(until_now).alias("reached"),
        F.lag("gone", 1, False).over(in_order).alias("was_gone"),
    )
    return known.where("coalesce(lsn >= reached, true) AND NOT (gone AND was_gone)").drop("was_gone")


def _with_unit(changes: DataFrame, topic: Topic, unit: str) -> DataFrame:
    """Let a farewell say of which unit the row was, as the row itself has told.

    The capture knows no more of it than its key, and writes empty texts and zeros for what may not be null.
    """
    if unit not in topic.fields or unit == topic.key:
        return changes
    in_order = Window.partitionBy(topic.key).orderBy("changed_at", "partition", "offset")
    told = F.last(F.when(~F.col("gone"), F.col(unit)), ignorenulls=True).over(in_order)
    return changes.withColumn(unit, F.when(F.col("gone"), told).otherwise(F.col(unit)))


def _numbered(changes: DataFrame, order: WindowSpec) -> DataFrame:
    """Return the first in an order."""
    return changes.withColumn("place", F.row_number().over(order)).where("place = 1").drop("place")


def present(kept: DataFrame, topic: Topic) -> DataFrame:
    """Return the rows of a table as they are now, out of the newest change of each key."""
    return kept.where("NOT gone").select(*topic.fields, "changed_at", "lsn")


def seen(kept: DataFrame, topic: Topic, view: View) -> DataFrame:
    """Return the rows of a table as a view of tables sees them, out of the newest change of each key.

    Of a row that is gone, a view that wants farewells sees its key, its unit, and where it went.
    """
    if not view.farewells:
        return present(kept, topic)
    stays = (topic.key, view.unit)
    fields = [
        name if name in stays else F.when(~F.col("gone"), F.col(name)).alias(name) for name in topic.fields
    ]
    return kept.select(*fields, "changed_at", "lsn", "gone")


def held_at(time: str) -> Column:
    """Say whether a stretch of a history holds at a time."""
    begun = F.col(time) >= F.col("valid_from")
    over = F.col(time) >= F.col("valid_until")
    return begun & ~F.coalesce(over, F.lit(False))
