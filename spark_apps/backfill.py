"""Backfill: the rows of a stretch of time are computed again from the log, and replaced in one commit.

    records   · · · | look-back | · · · · · from · · · · · to · · · · · · · what the live query has read |
    rows                           kept    [ replaced      ) kept

How rows are computed is told in `recomputing.py`. Only windows that lie wholly inside are replaced. The live
query goes on all the while: if it has written to the same days meanwhile, nothing is committed, and the
backfill begins anew with what is there by then. The commit is no batch of the query, so the query finds its
own newest batch behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater.errors import Refusal
from spark_apps import sinks
from spark_apps.recomputing import given_out, rows_between

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.recomputing import Between
    from spark_apps.view import View

ATTEMPTS = 5


def backfill(
    spark: SparkSession, settings: Settings, view: View, topics: Mapping[str, Topic], between: Between
) -> int:
    """Replace the rows of a view whose windows lie wholly inside; return how many there are now."""
    if view.of_tables:
        raise Refusal(
            f'view "{view.name}" has no windows to backfill', hint="It is of tables alone: replay it instead."
        )
    starts = between.starts_of(view.window)
    for _attempt in range(ATTEMPTS):
        seen = sinks.newest(spark, view.table)
        if seen is None:
            raise Refusal(f'view "{view.name}" has no rows yet', hint="Wait for its first batch.")
        rows = rows_between(spark, settings, view, topics, starts, seen).persist()
        try:
            _refuse_open(spark, settings, view, rows, seen)
            if sinks.replace_between(rows, view, starts.first, starts.after, seen):
                return rows.count()
        finally:
            rows.unpersist()
    raise Refusal(
        f'backfill of view "{view.name}" did not come about',
        detail=f"Its live query wrote to the same days, {ATTEMPTS} times in a row.",
        hint="Ask for an earlier stretch of time, or try again later.",
    )


def _refuse_open(
    spark: SparkSession, settings: Settings, view: View, rows: DataFrame, seen: sinks.Newest
) -> None:
    """Refuse rows that the live query has still to append: they would be there twice."""
    if view.output != "append" or view.mode == "upsert":
        return
    until = given_out(spark, settings, view, seen)
    if not rows.where(F.expr(view.closing) >= F.lit(until)).isEmpty():
        raise Refusal(
            f'view "{view.name}" has windows in this stretch of time that are still open',
            detail=f"Its live query has given out rows up to {until.isoformat()}.",
            hint="Ask for an earlier end.",
        )
