"""Backfill: the rows of a stretch of time are computed again from the log, and replaced in one commit.

    records   · · · | look-back | · · · · · from · · · · · to · · · · · · · what the live query has read |
    rows                           kept    [ replaced      ) kept

The batch engine reads what the live query has read, from cold log and Kafka, and runs the same transform.
Only windows that lie wholly inside are replaced. The live query goes on all the while: if it has written to
the same days meanwhile, nothing is committed, and the backfill begins anew with what is there by then. The
commit is no batch of the query, so the query finds its own newest batch behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.replay.request import EARLIEST
from headwater.replay.starting import resolve, seam
from spark_apps import internals, kafka_log, pipeline, sinks, stitched_log
from spark_apps.repeats import CELL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from pyspark.sql import DataFrame, SparkSession

    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.kafka_log import Offsets
    from spark_apps.view import View

ATTEMPTS = 5
MOMENT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """A stretch of time: from the first moment up to, not including, the one after."""

    first: datetime
    after: datetime

    def starts_of(self, window: timedelta) -> Between:
        """Return when windows start that lie wholly inside."""
        latest = self.after - max(window, MOMENT)
        return Between(first=self.first.astimezone(UTC), after=latest.astimezone(UTC) + MOMENT)


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
        rows = _rows(spark, settings, view, topics, starts, seen).persist()
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


def _rows(
    spark: SparkSession,
    settings: Settings,
    view: View,
    topics: Mapping[str, Topic],
    starts: Between,
    seen: sinks.Newest,
) -> DataFrame:
    """Compute the rows of windows that start in a stretch, from what the live query has read."""
    records = {
        name: stitched_log.read_range(spark, settings, name, begin, _reached(seen, name))
        for name, begin in _beginnings(settings, view, starts.first).items()
    }
    rows = pipeline.batch_rows(view, records, dict(topics))
    time = F.col(view.time)
    return rows.where((time >= F.lit(starts.first)) & (time < F.lit(starts.after)))


def _beginnings(settings: Settings, view: View, first: datetime) -> dict[str, Offsets]:
    """Return from where on records are needed; refuses windows of which some have been lost."""
    # A repeat is known by its original, which lies up to one cell before it.
    since = first - view.look_back - CELL
    with admin_client(settings, kafka_log.ROLE) as client:
        events = resolve(settings, client, view.inputs, since.isoformat())
        needed = [*events, *resolve(settings, client, view.tables, EARLIEST)]
    whole_from = seam(settings, since.isoformat(), events, view.look_back + CELL)
    lost = [part.refusal for part in needed if part.refusal]
    if lost or (whole_from is not None and whole_from > first):
        raise Refusal(
            f'view "{view.name}" cannot be backfilled from {first.isoformat()}',
            detail=" ".join([*lost, f"Windows are whole from {whole_from} on."]),
            hint="Ask for a later stretch of time.",
        )
    found: dict[str, dict[int, int]] = {}
    for part in needed:
        found.setdefault(part.topic, {})[part.partition] = part.asked
    return dict(found)


def _reached(seen: sinks.Newest, topic: str) -> Offsets:
    return {int(partition): offset for partition, offset in seen.offsets.get(topic, {}).items()}


def _refuse_open(
    spark: SparkSession, settings: Settings, view: View, rows: DataFrame, seen: sinks.Newest
) -> None:
    """Refuse rows that the live query has still to append: they would be there twice."""
    if view.output != "append" or view.mode == "upsert":
        return
    checkpoint = f"{settings.checkpoints}/{view.checkpoint}"
    given_out = internals.planned_watermark(spark, checkpoint, seen.batch)
    if not rows.where(F.expr(view.closing) >= F.lit(given_out)).isEmpty():
        raise Refusal(
            f'view "{view.name}" has windows in this stretch of time that are still open',
            detail=f"Its live query has given out rows up to {given_out.isoformat()}.",
            hint="Ask for an earlier end.",
        )
