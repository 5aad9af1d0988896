"""Verifying: the rows that a view serves against those that its query makes of the same records once more.

    records    · · · | look-back | first · · · · · after | · until these windows are closed · |
    compared                     [ windows wholly inside )

The live query has read these records in batches as they came; here they are read again in others: a backlog
at once, and the rest in a few small ones. Both have then read the same, so every difference is a mistake of
one of them. Rows that appear only when they are final are compared where both have given them out.

A view of tables is about now, not about a stretch of time: its rows at the newest snapshot are compared with
the query over the tables as the log tells them, up to the offsets of that snapshot.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater import scratch
from headwater.bounds import CLOCK_TOLERANCE, OLDEST
from headwater.errors import Refusal
from headwater.replay.backfill_proof import Outcome
from headwater.replay.between import Between
from headwater.verifying.telling import Verification, times
from spark_apps import clocks, histories, internals, matching, pipeline, recomputing, rehearsing
from spark_apps.session import CATALOG

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.histories import Newest
    from spark_apps.view import View

    Topics = Mapping[str, Topic]

EPOCH = datetime.fromtimestamp(0, UTC)
USUAL = timedelta(hours=1)  # as much is verified unless asked otherwise
PIECES = 4  # in which the later half of the records is read
# Rows appear when an event is heard of that is late enough; somebody has to do something until then.
UNTIL_HEARD_OF = timedelta(minutes=10)


def verify(
    spark: SparkSession,
    settings: Settings,
    view: View,
    topics: Topics,
    asked: Between | None = None,
    begins: datetime | None = None,
) -> Verification:
    """Replay a slice of what a view has read, and compare; the last hour that is closed, unless asked.

    A version that did not begin with the log has rows only from when it `begins`.
    """
    seen = histories.newest(spark, view.table)
    if seen is None:
        raise Refusal(f'view "{view.name}" has no rows yet', hint="Wait for its first batch.")
    if not view.of_tables:
        part = asked or usual(view, recomputing.given_out(spark, settings, view, seen), begins)
        _refuse_before(view, part, begins)
        return _verify_slice(spark, settings, view, topics, part, seen)
    if asked is not None:
        raise Refusal(
            f'view "{view.name}" has no slices',
            hint="It is of tables alone: verify it as it is now, without --slice.",
        )
    return _verify_tables(spark, settings, view, topics, seen)


def usual(view: View, given_out: datetime, begins: datetime | None = None) -> Between:
    """Return what is verified unless asked otherwise: the last hour of windows that are over."""
    newest = given_out + view.remembers  # the watermark is that far behind
    after = (newest - view.lateness - view.disorder).replace(second=0, microsecond=0)
    if after - USUAL <= EPOCH:
        raise Refusal(f'view "{view.name}" has no closed window yet', hint="Name a slice, or wait a little.")
    return Between(first=max(after - USUAL, begins or after - USUAL), after=after)


def _refuse_before(view: View, part: Between, begins: datetime | None) -> None:
    """Refuse a slice of which the live version has only a part, or nothing."""
    if begins is not None and not begins <= part.first < part.after:
        raise Refusal(
            f'view "{view.name}" has no rows before {begins:%Y-%m-%d %H:%M:%S} UTC',
            detail=f"The version that is live begins there; the slice is {times(part.first, part.after)}.",
            hint="Ask for a later slice, or wait.",
        )


def cuts(part: Between, until: datetime) -> list[datetime]:
    """Return where records are cut: the backlog ends in the middle of the slice, the rest is in pieces."""
    middle = part.first + (part.after - part.first) / 2
    step = max(until - middle, timedelta(0)) / PIECES
    return [middle + number * step for number in range(PIECES)]


def _verify_slice(
    spark: SparkSession, settings: Settings, view: View, topics: Topics, part: Between, seen: Newest
) -> Verification:
    live = recomputing.given_out(spark, settings, view, seen)
    needed = recomputing.records_since(spark, settings, view, part.first, seen)
    heard = F.col("timestamp") < F.lit(_heard_until(view, part))
    records = {name: internals.hold(found.where(heard)) for name, found in needed.items()}
    try:
        with scratch.of(settings, view.name):
            where = cuts(part, _newest(records))
            own = rehearsing.rehearse(spark, settings, view, topics, records, where, part.first)
            both = (live, rehearsing.given_out(spark, settings, own))
            final = min(both) if _appears_when_final(view) else None
            inside = _inside(view, part, final)
            replayed = spark.table(f"{CATALOG}.{own.table}")
            served = histories.rows_at(spark, view.table, seen.snapshot)
            found = _matched(served.where(inside), replayed.where(inside), view)
            return _told(view, found, _how(records, part), _remarks(spark, view, part, final))
    finally:
        for held in records.values():
            internals.let_go(held)


def _verify_tables(
    spark: SparkSession, settings: Settings, view: View, topics: Topics, seen: Newest
) -> Verification:
    records = recomputing.records_since(spark, settings, view, EPOCH, seen)
    made = pipeline.batch_rows(view, records, dict(topics))
    found = _matched(histories.rows_at(spark, view.table, seen.snapshot), made, view)
    how = (
        "It is a view of tables: its rows at the newest snapshot were compared with the query over the "
        f"tables up to the same offsets, {_places(seen)}."
    )
    besides = [f"Not compared: {', '.join(view.uncompared)}."] if view.uncompared else []
    return _told(view, found, how, besides)


def _heard_until(view: View, part: Between) -> datetime:
    """Return up to when records are received that the windows of a slice may depend on, or wait for."""
    if view.late == "correct":
        return part.after + CLOCK_TOLERANCE + OLDEST
    return part.after + view.remembers + UNTIL_HEARD_OF


def _appears_when_final(view: View) -> bool:
    """Say whether rows wait until the watermark has passed them; with tables they do not."""
    return view.output == "append" and not view.tables


def _newest(records: Mapping[str, DataFrame]) -> datetime:
    moments = [clocks.micros_of(found, F.max("timestamp")) or 0 for found in records.values()]
    return datetime.fromtimestamp(max(moments) / 1e6, UTC)


def _inside(view: View, part: Between, final: datetime | None) -> Column:
    """Say whether a row is of a window wholly inside that both sides have finished."""
    if final is not None and final <= part.first:
        raise Refusal(
            f'view "{view.name}" has no closed window in this slice',
            detail=f"Rows appear when they are final; that is so up to {final:%Y-%m-%d %H:%M:%S} UTC.",
            hint="Ask for an earlier slice, or wait.",
        )
    closing = F.expr(view.closing)
    inside = (F.col(view.time) >= F.lit(part.first)) & (closing <= F.lit(part.after))
    return inside & (closing < F.lit(final)) if final is not None else inside


def _matched(served: DataFrame, replayed: DataFrame, view: View) -> DataFrame:
    return matching.match(served, replayed, view.keys, view.uncompared).persist()


def _told(view: View, matched: DataFrame, how: str, remarks: Sequence[str]) -> Verification:
    try:
        return Verification(
            view=view.name,
            label=view.label,
            how=how,
            counts=matching.counts(matched),
            samples=matching.samples(matched, view.keys),
            remarks=tuple(remarks),
        )
    finally:
        matched.unpersist()


def _how(records: Mapping[str, DataFrame], part: Between) -> str:
    read = ", ".join(f"{found.count():,} records of {name}" for name, found in records.items())
    return f"Windows from {times(part.first, part.after)}. Replayed: {read}, in {PIECES + 1} batches."


def _remarks(spark: SparkSession, view: View, part: Between, final: datetime | None) -> list[str]:
    remarks = []
    if final is not None and final < part.after:
        remarks.append(
            f"Windows that close at {final:%H:%M:%S} UTC or later are not final yet, and left out."
        )
    return [*remarks, *_admitted(spark, view, part)]


def _admitted(spark: SparkSession, view: View, part: Between) -> Iterator[str]:
    """Name the backfills that have let late events in: no query makes such rows."""
    for told in map(Outcome.model_validate_json, histories.told_of_backfills(spark, view.table)):
        if told.lateness is not None and told.first < part.after and told.after > part.first:
            yield (
                f"A backfill of windows from {times(told.first, told.after)} let events in that are up to "
                f"{told.lateness} late: unless it was backfilled again, rows there differ by those."
            )


def _places(seen: Newest) -> str:
    return "; ".join(
        f"{topic} {', '.join(f'{partition}:{offset}' for partition, offset in sorted(parts.items()))}"
        for topic, parts in sorted(seen.offsets.items())
    )
