"""Backfill: the rows of a stretch of time are computed again from the log, and replaced in one commit.

    records   · · · | look-back | · · · · · from · · · · · to · · · · · · · what the live query has read |
    rows                           kept    [ replaced      ) kept

How rows are computed is told in `recomputing.py`. Only windows that lie wholly inside are replaced. The live
query goes on all the while: if it has written to the same days meanwhile, nothing is committed. If it has
left the windows inside as they were, what was computed still holds, and is committed beside what is there by
then; if not, the backfill begins anew. The commit is no batch of the query, so the query finds its own newest
batch behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater.errors import Refusal
from headwater.replay.backfill_proof import Outcome
from spark_apps import histories, matching, pipeline, sinks
from spark_apps.admitting import admitting, count_late, torn
from spark_apps.recomputing import given_out, records_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import timedelta

    from pyspark.sql import DataFrame, Row, SparkSession

    from headwater.replay.between import Between
    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.view import View

    Topics = Mapping[str, Topic]

ATTEMPTS = 5
# A live query may write to the same day every few seconds, and a commit takes one or two.
COMMITS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked for: a stretch of time, with the lateness of the view or with one of its own."""

    between: Between
    lateness: timedelta | None = None
    replay: str | None = None  # the key under which it was asked for, for the record


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """The rows of a stretch as the log has them, beside those that are there."""

    seen: histories.Newest  # what is there, and how far the live query has read
    rows: DataFrame  # of windows wholly inside, with late events if they are admitted
    matched: DataFrame  # with those that are there: see `matching.py`
    faults: tuple[str, ...]  # why they cannot be put in place
    lateness: timedelta | None = None  # with which they were computed, if it is not the view's
    late_events: int = 0  # that are admitted
    otherwise: int = 0  # rows that differ even without them


def backfill(spark: SparkSession, settings: Settings, view: View, topics: Topics, asked: Asked) -> Outcome:
    """Replace the rows of a view whose windows lie wholly inside, and say what changed."""
    starts = asked.between.starts_of(view.window)
    for _attempt in range(ATTEMPTS):
        found = recompute(spark, settings, view, topics, asked)
        try:
            if found.faults:
                raise Refusal(
                    f'view "{view.name}" cannot be backfilled like this',
                    detail=" ".join(found.faults),
                    hint="Ask for another stretch of time.",
                )
            outcome = Outcome(
                replay=asked.replay,
                first=starts.first,
                after=starts.after,
                lateness=found.lateness,
                rows=found.rows.count(),
                **matching.counts(found.matched),
            )
            if _put_in_place(spark, view, starts, found, outcome.model_dump_json()):
                return outcome
        finally:
            found.rows.unpersist()
    raise Refusal(
        f'backfill of view "{view.name}" did not come about',
        detail=f"Its live query wrote to the same days, {ATTEMPTS} times in a row.",
        hint="Ask for an earlier stretch of time, or try again later.",
    )


def _put_in_place(spark: SparkSession, view: View, starts: Between, found: Recomputed, told: str) -> bool:
    """Commit what was computed, as long as nobody changes the windows inside; say whether it came about."""
    present, inside = found.seen, _digest(spark, view, starts, found.seen)
    for _attempt in range(COMMITS):
        if sinks.replace_between(found.rows, view, starts, present, told):
            return True
        present = _present(spark, view)
        if _digest(spark, view, starts, present) != inside:
            return False
    return False


def _digest(spark: SparkSession, view: View, starts: Between, at: histories.Newest) -> Row | None:
    """Return what tells the rows inside at one moment from those at another."""
    rows = histories.rows_at(spark, view.table, at.snapshot).where(sinks.between(view.time, starts))
    marks = F.xxhash64(*rows.columns).cast("decimal(38, 0)")
    return rows.agg(F.count(F.lit(1)).alias("rows"), F.sum(marks).alias("marks")).first()


def recompute(
    spark: SparkSession, settings: Settings, view: View, topics: Topics, asked: Asked
) -> Recomputed:
    """Compute the rows of a stretch from what the live query has read, and compare them with its own."""
    starts = asked.between.starts_of(view.window)
    seen = _present(spark, view)
    wide = admitting(view, asked.lateness)
    records = records_of(spark, settings, wide, starts, seen)
    computed = pipeline.batch_rows(wide, records, dict(topics))
    inside = sinks.between(view.time, starts)
    rows = computed.where(inside).persist()
    there = histories.rows_at(spark, view.table, seen.snapshot).where(inside)
    found = Recomputed(
        seen=seen,
        rows=rows,
        matched=matching.match(there, rows, view.keys),
        faults=_still_open(spark, settings, view, rows, seen),
    )
    if wide is view:
        return found
    ordinary = pipeline.batch_rows(view, records, dict(topics))
    again = matching.match(there, ordinary.where(inside), view.keys)
    return replace(
        found,
        faults=(*found.faults, *_torn(ordinary, computed, view, starts)),
        lateness=asked.lateness,
        late_events=count_late(records, topics, view, wide, asked.between),
        otherwise=again.where("verdict <> 'equal'").count(),
    )


def _present(spark: SparkSession, view: View) -> histories.Newest:
    if view.of_tables:
        raise Refusal(
            f'view "{view.name}" has no windows to backfill', hint="It is of tables alone: replay it instead."
        )
    seen = histories.newest(spark, view.table)
    if seen is None:
        raise Refusal(f'view "{view.name}" has no rows yet', hint="Wait for its first batch.")
    return seen


def _still_open(
    spark: SparkSession, settings: Settings, view: View, rows: DataFrame, seen: histories.Newest
) -> tuple[str, ...]:
    """Name rows that the live query has still to append: they would be there twice."""
    if view.output != "append" or view.mode == "upsert":
        return ()
    until = given_out(spark, settings, view, seen)
    still_open = rows.where(F.expr(view.closing) >= F.lit(until)).count()
    if not still_open:
        return ()
    return (f"{still_open:,} windows are still open: rows were given out up to {until.isoformat()}.",)


def _torn(ordinary: DataFrame, admitted: DataFrame, view: View, starts: Between) -> tuple[str, ...]:
    count = torn(ordinary, admitted, view, starts)
    if not count:
        return ()
    return (
        f"Late events join windows across an edge of the stretch ({count:,} of them): move the edge to where "
        "nothing happens.",
    )
