"""What an app runs: a job for each of its views, and one for each input whose late events are kept apart."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from headwater import names
from spark_apps import (
    internals,
    ledger,
    pipeline,
    remembering,
    sinks,
    stitched_log,
    tables,
)
from spark_apps.clocks import event_schema
from spark_apps.voice import Voice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from pyspark.sql import DataFrame, SparkSession

    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.seam import Cut
    from spark_apps.view import View
    from spark_apps.voice import Standing

    Guard = Callable[[], None]  # called before a commit; raises if this driver must not write
    Partitions = dict[str, list[int]]  # by topic
    Source = Callable[[str, int | None], DataFrame]  # topic and most records of a batch -> a stream of them

# Nobody waits for what is kept apart, and every look at a topic costs a batch. Well within what supervision
# takes for stuck, though: it sees that there is something to read, and no batch.
UNHURRIED = timedelta(minutes=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One streaming query: what it computes, and how a batch of it is written."""

    name: str
    table: str
    checkpoint: str
    group: str
    output: Literal["append", "update"]
    trigger: timedelta
    rows: Callable[[int | None], DataFrame]  # given how many records a batch may read at most
    write: Callable[[DataFrame, sinks.Commit, sinks.Bounds], None]  # only where some are found
    note: Callable[[sinks.Commit], None]  # instead, where there are no rows but the log has been read further
    counts: Callable[[ledger.Observed], str]
    stale: Callable[[ledger.Observed], int] = lambda _observed: 0  # events too old for what is final
    # How many rows a batch has to write, and their bounds: one look at them, because each is a job of Spark.
    bounds: Callable[[DataFrame], sinks.Bounds] = sinks.bounds_of
    # Writes what the batch engine makes, unless it is there, and returns what is left for the query to do.
    history: Callable[[Guard], Job] | None = None
    version: str | None = None  # the version of a view that it keeps, which may move between apps


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where a version begins: at these offsets, and with rows of windows from the seam on.

    A window that began before the seam would be counted only in part, or is written by the batch engine, if
    the version is cut in two there. What Kafka no longer holds is read from the cold log, up to the stitches.
    """

    offsets: Mapping[str, Mapping[str, int]]  # by topic and partition
    stitches: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # of topics that need it
    seam: datetime | None
    cut: Cut | None = None


def view_job(
    spark: SparkSession,
    settings: Settings,
    view: View,
    topics: dict[str, Topic],
    partitions: Partitions,
    start: Start | None = None,
    *,
    standing: Standing | None = None,
    source: Source | None = None,
) -> Job:
    """Keep a view up to date, from the beginning of the log unless it starts elsewhere.

    Its output topic hears of it if its `standing` says so. A `source` of its own stands in for the log where
    a part of it is rehearsed.
    """
    by_day = f"days({view.time})" if view.time else ""
    sinks.create_table(spark, view.table, view.schema, by_day, mark_rows=view.grain == "event")
    memory = _memory(spark, view, topics)
    voice = _voice(settings, view, topics, standing)
    checkpoint = f"{settings.checkpoints}/{view.checkpoint}"

    def rows(most: int | None) -> DataFrame:
        def records(name: str) -> DataFrame:
            if source is not None:
                return source(name, most)
            return stitched_log.read_stream(spark, settings, name, checkpoint, start, most)

        def events_of(name: str) -> DataFrame:
            events = pipeline.stream_events(records(name), topics[name], view, partitions[name])
            cut = start.cut if start else None
            return (
                ledger.observe_stale(events, name, view.clock, cut.until[name], cut.final) if cut else events
            )

        events = {name: events_of(name) for name in view.inputs}
        if memory is None:
            return pipeline.rows(view, list(events.values()))
        changes = {
            name: pipeline.stream_changes(records(name), topics[name], partitions[name])
            for name in view.tables
        }
        return remembering.heard(events | changes)

    def since_seam(rows: DataFrame) -> DataFrame:
        return rows.where(rows[view.time] >= start.seam) if start and start.seam else rows

    def bounds_of(rows: DataFrame) -> sinks.Bounds:
        return remembering.heard_in(rows) if memory else sinks.bounds_of(since_seam(rows), view.time)

    def write(found: DataFrame, commit: sinks.Commit, bounds: sinks.Bounds) -> None:
        rows = memory.rows(found, commit, set(bounds["topics"])) if memory else found
        whole = since_seam(rows)
        bounds = sinks.bounds_of(whole, view.time) if memory else bounds
        if voice:
            commit = replace(commit, told=voice.tell(whole.sparkSession, commit, whole, bounds))
        if view.mode == "upsert":
            sinks.upsert(whole, view, commit, bounds)
        else:
            sinks.append(whole, view.table, commit)
        if memory:
            internals.let_go(rows)
            memory.forget(found, commit)

    def note(commit: sinks.Commit) -> None:
        if voice:
            commit = replace(commit, told=voice.tell(spark, commit))
        sinks.record(spark, view.table, commit)

    def counts(observed: ledger.Observed) -> str:
        kept = view.late == "correct"
        return ledger.to_json(
            {name: ledger.counts(observed, name, partitions[name], late_used=kept) for name in view.reads}
        )

    return Job(
        name=view.query,
        table=view.table,
        checkpoint=checkpoint,
        group=view.consumer_group,
        output=view.output,
        trigger=view.trigger,
        rows=rows,
        bounds=bounds_of,
        write=write,
        note=note,
        counts=counts,
        stale=lambda observed: ledger.stale(observed, view.inputs),
        version=view.query,
    )


def _memory(
    spark: SparkSession, view: View, topics: Mapping[str, Topic]
) -> remembering.Memory | tables.Tables | None:
    """Return what a version keeps of its tables, if it has any."""
    if view.of_tables:
        return tables.Tables(spark, view, topics)
    return remembering.Memory(spark, view, topics) if view.tables else None


def _voice(
    settings: Settings, view: View, topics: Mapping[str, Topic], standing: Standing | None
) -> Voice | None:
    """Return what tells the output topic of a version, if it has any."""
    if view.publishes is None or standing is None:
        return None
    return Voice(settings, view, topics[view.publishes.topic], standing)


def late_job(
    spark: SparkSession, settings: Settings, view: View, topic: Topic, start: Start | None = None
) -> Job:
    """Keep the events of one input that are late, for a view that has an output of its own for them."""
    name, table = f"{view.query}.late.{topic.name}", view.late_table(topic.name)
    checkpoint = f"{settings.checkpoints}/{table.replace('.', '/')}"
    sinks.create_table(spark, table, event_schema(topic), "days(received_at)")

    def rows(most: int | None) -> DataFrame:
        records = stitched_log.read_stream(spark, settings, topic.name, checkpoint, start, most)
        return pipeline.late_events(ledger.observe_arrived(records, topic.name, ()), topic, view)

    return Job(
        name=name,
        table=table,
        checkpoint=checkpoint,
        group=names.consumer_group(name),
        output="append",
        trigger=UNHURRIED,
        rows=rows,
        write=lambda found, commit, _bounds: sinks.append(found, table, commit),
        note=lambda commit: sinks.record(spark, table, commit),
        counts=lambda _observed: "{}",  # the ledger of the view counts them
        version=view.query,
    )
