"""The rows of a stretch of time, computed once more: by the batch engine, from the log.

    records   · · · | look-back | · · · · · from · · · · · to · · · · · · · what the live query has read |
    rows                                   [ computed      )

The same transform runs over what the live query has read, from cold log and Kafka. So the rows are those that
the live query has made, or would have made with today's code.
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
from spark_apps import internals, kafka_log, pipeline, stitched_log
from spark_apps.repeats import CELL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pyspark.sql import DataFrame, SparkSession

    from headwater.replay.starting import Stretch
    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.kafka_log import Offsets
    from spark_apps.sinks import Newest
    from spark_apps.view import View

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


def rows_between(
    spark: SparkSession,
    settings: Settings,
    view: View,
    topics: Mapping[str, Topic],
    starts: Between,
    seen: Newest,
) -> DataFrame:
    """Compute the rows of windows that start in a stretch, from what the live query has read."""
    records = records_since(spark, settings, view, starts.first, seen)
    rows = pipeline.batch_rows(view, records, dict(topics))
    time = F.col(view.time)
    return rows.where((time >= F.lit(starts.first)) & (time < F.lit(starts.after)))


def records_since(
    spark: SparkSession, settings: Settings, view: View, first: datetime, seen: Newest
) -> dict[str, DataFrame]:
    """Return, by topic, what the live query has read that rows from a time on are made of.

    Refuses if some of it has been lost.
    """
    # A repeat is known by its original, which lies up to one cell before it.
    since = first - view.look_back - CELL
    with admin_client(settings, kafka_log.ROLE) as client:
        events = resolve(settings, client, view.inputs, since.isoformat())
        needed = [*events, *resolve(settings, client, view.tables, EARLIEST)]
    whole_from = seam(settings, since.isoformat(), events, view.look_back + CELL)
    lost = [part.refusal for part in needed if part.refusal]
    if lost or (whole_from is not None and whole_from > first):
        raise Refusal(
            f'view "{view.name}" cannot be computed again from {first.isoformat()}',
            detail=" ".join([*lost, f"Windows are whole from {whole_from} on."]),
            hint="Ask for a later stretch of time.",
        )
    return _read(spark, settings, needed, seen)


def records_of_tables(
    spark: SparkSession, settings: Settings, view: View, seen: Newest
) -> dict[str, DataFrame]:
    """Return, by topic, all changes of its tables that the live query of a view has read."""
    with admin_client(settings, kafka_log.ROLE) as client:
        return _read(spark, settings, resolve(settings, client, view.tables, EARLIEST), seen)


def _read(
    spark: SparkSession, settings: Settings, needed: Sequence[Stretch], seen: Newest
) -> dict[str, DataFrame]:
    begin: dict[str, dict[int, int]] = {}
    for part in needed:
        # A quiet partition begins at its end, which the live query may have still to reach.
        first = min(part.asked, _reached(seen, part.topic)[part.partition])
        begin.setdefault(part.topic, {})[part.partition] = first
    return {
        name: stitched_log.read_range(spark, settings, name, offsets, _reached(seen, name))
        for name, offsets in begin.items()
    }


def _reached(seen: Newest, topic: str) -> Offsets:
    return {int(partition): offset for partition, offset in seen.offsets.get(topic, {}).items()}


def given_out(spark: SparkSession, settings: Settings, view: View, seen: Newest) -> datetime:
    """Return up to when the live query had given out its rows: those that close later are still open."""
    return internals.planned_watermark(spark, f"{settings.checkpoints}/{view.checkpoint}", seen.batch)
