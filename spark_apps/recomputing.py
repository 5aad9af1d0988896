"""The rows of a stretch of time, computed once more: by the batch engine, from the log.

    records   · · · | look-back | · · · · · from · · · · · to · · · · · · · what the live query has read |
    rows                                   [ computed      )

The same transform runs over what the live query has read, from cold log and Kafka. So the rows are those that
the live query has made, or would have made with today's code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.replay.between import Between
from headwater.replay.needing import Ingredients, needed
from spark_apps import internals, pipeline, stitched_log
from spark_apps.sinks import between

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta

    from pyspark.sql import DataFrame, SparkSession

    from headwater.replay.needing import Needed
    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.histories import Newest
    from spark_apps.stitched_log import Reader
    from spark_apps.view import View

    Records = dict[str, DataFrame]  # by topic


def rows_between(
    spark: SparkSession,
    settings: Settings,
    view: View,
    topics: Mapping[str, Topic],
    starts: Between,
    seen: Newest,
    read: Reader | None = None,
) -> DataFrame:
    """Compute the rows of windows that start in a stretch, from what the live query has read."""
    records = records_of(spark, settings, view, starts, seen, read)
    return pipeline.batch_rows(view, records, dict(topics)).where(between(view.time, starts))


def records_of(
    spark: SparkSession,
    settings: Settings,
    view: View,
    starts: Between,
    seen: Newest,
    read: Reader | None = None,
) -> Records:
    """Return what the live query has read of what these windows are made of; refuses what has been lost."""
    windows = Between(first=starts.first, after=starts.after + view.window)
    found = _needed(settings, view, windows, view.settles, seen)
    return _read(spark, settings, found, read or stitched_log.log_of(view))


def records_since(
    spark: SparkSession, settings: Settings, view: View, first: datetime, seen: Newest
) -> Records:
    """Return all that the live query has read that rows from a time on are made of, or wait for.

    Of a table that is everything; so a view of tables may name any time.
    """
    windows = Between(first=first, after=first)
    return _read(spark, settings, _needed(settings, view, windows, None, seen), stitched_log.log_of(view))


def _needed(
    settings: Settings, view: View, windows: Between, settles: timedelta | None, seen: Newest
) -> Needed:
    ingredients = Ingredients(
        inputs=view.inputs, tables=view.tables, look_back=view.look_back, settles=settles
    )
    with admin_client(settings, settings.reader) as client:
        found = needed(settings, client, ingredients, windows, seen.offsets)
    if found.refusals:
        raise Refusal(
            f'view "{view.name}" cannot be computed again from {windows.first.isoformat()}',
            detail=" ".join(found.refusals),
            hint="Ask for a later stretch of time.",
        )
    return found


def _read(spark: SparkSession, settings: Settings, found: Needed, read: Reader) -> Records:
    ends = found.by_topic("end")
    return {
        topic: read(spark, settings, topic, begin, ends[topic])
        for topic, begin in found.by_topic("asked").items()
    }


def given_out(spark: SparkSession, settings: Settings, view: View, seen: Newest) -> datetime:
    """Return up to when the live query had given out its rows: those that close later are still open."""
    return internals.planned_watermark(spark, f"{settings.checkpoints}/{view.checkpoint}", seen.batch)
