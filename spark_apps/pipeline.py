"""From records to rows: the same steps for a stream and for a batch.

    records → decode → (quarantine) → correct clocks → late rule → drop repeats → transform → rows

Only two steps differ between the engines: how repeats are remembered, and the watermark that lets a stream
forget. Neither decides anything that the records do not.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps import changelogs, clocks, ledger, repeats, resolving
from spark_apps.decode import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import DataFrame, Row

    from headwater.topics import Topic
    from spark_apps.view import View

# What a transform must not see: it belongs to the way of the event, not to the event.
MACHINERY = ("clock_error", "partition", "offset")


def rows(view: View, events: Sequence[DataFrame], tables: Sequence[DataFrame] = ()) -> DataFrame:
    """Run the view's transform, over streams or over bounded sets of events, and over tables."""
    return view.transform(*(inputs.drop(*MACHINERY) for inputs in events), *tables)


def stream_events(records: DataFrame, topic: Topic, view: View, partitions: Iterable[int]) -> DataFrame:
    """Turn a stream of records into the events that a view uses, counting where each record goes."""
    partitions = list(partitions)
    decoded = ledger.observe_arrived(decode(records, topic), topic.name, partitions)
    events = ledger.observe_late(_events(decoded, topic, view), topic.name, partitions)
    timed = _punctual(events, view).withWatermark(view.clock, f"{view.remembers.total_seconds()} seconds")
    unique = repeats.drop_from_stream(timed) if view.repeats == "drop" else timed
    return ledger.observe_used(unique, topic.name, partitions)


def stream_changes(records: DataFrame, topic: Topic, partitions: Iterable[int]) -> DataFrame:
    """Turn a stream of records into the changes of a table, counting where each record goes."""
    partitions = list(partitions)
    decoded = ledger.observe_arrived(decode(records, topic), topic.name, partitions)
    return ledger.observe_used(changelogs.changes(decoded, topic), topic.name, partitions)


def batch_rows(view: View, records: dict[str, DataFrame], topics: dict[str, Topic]) -> DataFrame:
    """Run the view over bounded sets of records, one for each input and each table."""
    if view.of_tables:
        return rows(view, [], [_table(records[name], topics[name], view) for name in view.tables])
    inputs = [batch_events(records[name], topics[name], view) for name in view.inputs]
    histories = [
        changelogs.history(
            changelogs.changes(decode(records[name], topics[name]), topics[name]), topics[name]
        )
        for name in view.tables
    ]
    return as_made(resolving.resolved(rows(view, inputs, histories), view))


def as_made(rows: DataFrame) -> DataFrame:
    """Keep conditions on rows from reaching the events that these are made of.

    Spark takes the start of a session for a property of its events: of a session that straddles a bound it
    would leave out the events behind the bound before it gathers the others. Nothing is moved past a count.
    """
    return rows.observe(f"rows/{uuid.uuid4().hex}", F.count(F.lit(1)).alias("rows"))


def _table(records: DataFrame, topic: Topic, view: View) -> DataFrame:
    changes = changelogs.changes(decode(records, topic), topic)
    return changelogs.seen(changelogs.newest(changes, topic, view.unit), topic, view)


def batch_events(records: DataFrame, topic: Topic, view: View) -> DataFrame:
    """Turn a bounded set of records into the events that a view uses."""
    punctual = _punctual(_events(decode(records, topic), topic, view), view)
    return repeats.drop_from_batch(punctual) if view.repeats == "drop" else punctual


def batch_counts(
    records: DataFrame, topic: Topic, view: View, partitions: Iterable[int]
) -> dict[int, ledger.Counts]:
    """Count what becomes of a bounded set of records, as a stream would."""
    left_out = F.lit(False) if view.late == "correct" else F.col("late")
    one = repeats.identity() if view.repeats == "drop" else F.struct("partition", "offset")
    told = (
        _events(decode(records, topic), topic, view)
        .groupBy("partition")
        .agg(
            F.count(F.lit(1)).alias("events"),
            F.count_if(left_out).alias("late"),
            F.count_distinct(F.when(~left_out, one)).alias("used"),
        )
    )
    arrived = {row["partition"]: row["count"] for row in records.groupBy("partition").count().collect()}
    found = {row["partition"]: row for row in told.collect()}
    return {part: _counts(arrived.get(part, 0), found.get(part)) for part in partitions}


def _counts(arrived: int, told: Row | None) -> ledger.Counts:
    events, late, used = (told["events"], told["late"], told["used"]) if told else (0, 0, 0)
    return ledger.Counts(
        arrived=arrived,
        quarantined=arrived - events,
        late=late,
        repeated=events - late - used,
        used=used,
    )


def quarantined(records: DataFrame, topic: Topic) -> DataFrame:
    """Return the records that are no events: where they are in the log, why, and the raw bytes."""
    return (
        decode(records, topic)
        .where("reason IS NOT NULL")
        .select(
            "topic", "partition", "offset", F.col("timestamp").alias("received_at"), "reason", "key", "value"
        )
    )


def late_events(records: DataFrame, topic: Topic, view: View) -> DataFrame:
    """Return the events of a topic that are too late for a view, as they are, with their place in the log."""
    return _events(decode(records, topic), topic, view).where("late").drop("late", "clock_error")


def unused_events(records: DataFrame, topic: Topic, view: View) -> DataFrame:
    """Return the events of a bounded set of records that a view does not use; a repeat has an `original`."""
    events = _events(decode(records, topic), topic, view)
    punctual = repeats.with_original(_punctual(events, view))
    keeps = view.late == "correct", view.repeats == "keep"
    late = events.where(F.col("late") & ~F.lit(keeps[0]))
    repeated = punctual.where(~F.lit(keeps[1]) & (F.col("original") != F.struct("partition", "offset")))
    return repeated.unionByName(late, allowMissingColumns=True)


def _events(decoded: DataFrame, topic: Topic, view: View) -> DataFrame:
    events = clocks.correct(decoded.where("reason IS NULL"), topic)
    late = clocks.late(view.lateness) if view.clock == "event_time" else F.lit(False)
    return events.withColumn("late", late)


def _punctual(events: DataFrame, view: View) -> DataFrame:
    return events if view.late == "correct" else events.where("NOT late")
