"""Closed days: all rows of a view whose time is in a day, once nothing can change them any more.

    day            [00:00 · · · · · · · · · · · 24:00)
    rows            ●──┤   ●────┤            ●──────┤ closes   rows may end after midnight
    records        | look-back · · · · · · · · · · · · · · · · +late | · · · settled | still to come

Late is a property of the event, so a record that is still to come says nothing about rows that close before
it was received, less the time by which it may be late. What is *settled* has been read by the live query and
is in the cold log: the rows are computed from the cold log alone, and can be so again for ever.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater import cold_log, offsets
from headwater.batch_layer import NotYet
from headwater.brokers import admin_client
from headwater.cold_log.holding import of_topic
from headwater.errors import Refusal
from headwater.replay.between import Between
from spark_apps import clocks, histories, internals, kafka_log, recomputing, stitched_log
from spark_apps.recomputing import rows_between

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.kafka_log import Offsets
    from spark_apps.view import View

DAY = timedelta(days=1)
# Rows may go on after the day: sessions do, for an hour or so. Longer ones make a second look necessary.
AFTERWARDS = timedelta(days=1)
MINUTE = "%Y-%m-%d %H:%M"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """How far a view can be computed: what its live query has read, and the cold log holds."""

    newest: histories.Newest  # of the speed layer, with the offsets that are settled
    until: datetime  # no record that is not settled was received before

    def final_until(self, view: View) -> datetime:
        """Return up to when rows close that no record can change any more."""
        return self.until - view.latest


def rows_of(
    spark: SparkSession, settings: Settings, view: View, topics: Mapping[str, Topic], day: datetime
) -> tuple[DataFrame, Settled]:
    """Compute the rows of a day, held until they are let go; refuses a day that is not closed."""
    settled = _settled(spark, settings, view)
    _refuse_early(view, day, settled)
    for until in _looks(view, day, settled):
        rows = internals.hold(_computed(spark, settings, view, topics, day, replace(settled, until=until)))
        still_open = _open(spark, settings, view, rows, replace(settled, until=until))
        if not still_open:
            return rows, settled
        internals.let_go(rows)
    raise NotYet(
        f'{day:%Y-%m-%d} of view "{view.name}" is not closed yet',
        detail=f"{still_open:,} of its rows may still change, or its live query has not given them out yet.",
        hint="Rows close when no event can change them any more: docs/batch-layer.md.",
    )


def _settled(spark: SparkSession, settings: Settings, view: View) -> Settled:
    """Look how far the live query and the archive both are, and when the first record after that came in."""
    seen = histories.newest(spark, view.table)
    if seen is None:
        raise NotYet(f'view "{view.name}" has no rows yet', hint="Wait for its first batch.")
    # What was received a moment ago may still be on its way into the log.
    until, reached = datetime.now(UTC) - view.disorder, {}
    ledger = cold_log.held(settings)
    with admin_client(settings, settings.reader) as client:
        ids = offsets.topic_ids(client, view.reads)
        for topic in view.reads:
            archived = of_topic(ledger, topic, ids[topic])
            read = seen.offsets.get(topic, {})
            beginnings, ends = offsets.beginnings(client, topic), offsets.ends(client, topic)
            both = {part: min(read.get(str(part), 0), archived.partition(part).reached) for part in ends}
            reached[topic] = {str(part): offset for part, offset in both.items()}
            left = {part: max(offset, beginnings[part]) for part, offset in both.items()}
            until = min(until, _oldest(spark, settings, topic, left, ends) or until)
    return Settled(newest=replace(seen, offsets=reached), until=until)


def _oldest(
    spark: SparkSession, settings: Settings, topic: str, start: Offsets, end: Offsets
) -> datetime | None:
    """Return when the first record of a range was received; None if there is none."""
    if start == end:
        return None
    micros = clocks.micros_of(kafka_log.read_range(spark, settings, topic, start, end), F.min("timestamp"))
    return None if micros is None else datetime.fromtimestamp(micros / 1_000_000, UTC)


def _refuse_early(view: View, day: datetime, settled: Settled) -> None:
    """Refuse a day of which windows are open for certain, before anything is computed."""
    needed = day + DAY + view.window + view.latest
    if needed > settled.until:
        raise NotYet(
            f'{day:%Y-%m-%d} of view "{view.name}" is not closed yet',
            detail=f"Its last windows need all that is received up to {needed:{MINUTE}}; its live query "
            f"has read, and the cold log holds, what was received up to {settled.until:{MINUTE}}.",
            hint="Ask for an earlier day, or later.",
        )


def _looks(view: View, day: datetime, settled: Settled) -> Iterator[datetime]:
    """Say up to when records are read: first as far as rows commonly need, then all that is settled."""
    commonly = day + DAY + view.window + view.latest + AFTERWARDS
    if commonly < settled.until:
        yield commonly
    yield settled.until


def _computed(
    spark: SparkSession,
    settings: Settings,
    view: View,
    topics: Mapping[str, Topic],
    day: datetime,
    settled: Settled,
) -> DataFrame:
    def read(spark: SparkSession, settings: Settings, topic: str, start: Offsets, end: Offsets) -> DataFrame:
        records = stitched_log.read_archived(spark, settings, topic, start, end)
        # Of a table all is read: a change that is told late still reaches the events it concerns.
        return records.where(F.col("timestamp") < F.lit(settled.until)) if topic in view.inputs else records

    between = Between(first=day, after=day + DAY)
    return rows_between(spark, settings, view, topics, between, settled.newest, read)


def _open(spark: SparkSession, settings: Settings, view: View, rows: DataFrame, settled: Settled) -> int:
    """Count the rows that may still change, or that the live query has not given out yet."""
    closing = F.expr(view.closing)
    still_open = closing.isNull() | (closing > F.lit(settled.final_until(view)))
    if view.output == "append" and not view.tables:
        given_out = recomputing.given_out(spark, settings, view, settled.newest)
        still_open |= closing >= F.lit(given_out)
    return rows.where(still_open).count()


def refuse_without_days(view: View) -> None:
    """Refuse a view that has no days."""
    if view.of_tables:
        raise Refusal(
            f'view "{view.name}" has no days',
            detail="It is of tables alone: it tells what is so now, not what happened when.",
            hint="It is not in the batch layer; `views` serves it whole.",
        )
