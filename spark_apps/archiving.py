"""The archive: every record of every topic goes to the cold log, and what is no event to quarantine as well.

One query reads all topics, seldom: nobody waits for it, and a query for each topic would cost a batch each. A
batch writes the quarantines first and the cold log last; the commit of the cold log is what makes the batch
done, and each quarantine knows by itself whether it has had its part of a batch that runs again.

What the cold log holds travels in its commits (`headwater/cold_log/holding.py`): the ranges of offsets that
were read. Where a batch begins is known from Spark's own plan, not from the records that came.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater import alarms, names, offsets
from headwater.brokers import admin_client
from headwater.cold_log import holding
from headwater.errors import Refusal
from spark_apps import histories, internals, kafka_log, ledger, pipeline, sinks
from spark_apps.jobs import UNHURRIED, Job
from spark_apps.session import CATALOG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

    from headwater.cold_log.holding import Ledger
    from headwater.settings import Settings
    from headwater.topics import Topic

    Counted = Mapping[tuple[str, int], int]  # records, by topic and partition

# The app with the fewest views. One of its own would be right as well, and takes 2.5 GB more.
APP = "traffic"
NAME = "cold_log"
RECREATED = "topic recreated"
DOCUMENT = "docs/cold-log.md"
SCHEMA = (
    "topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP, key BINARY, value BINARY, "
    "headers ARRAY<STRUCT<key: STRING, value: BINARY>>"
)
COLUMNS = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")
QUARANTINE_SCHEMA = (
    "topic STRING, partition INT, offset BIGINT, received_at TIMESTAMP, "
    "reason STRING, key BINARY, value BINARY"
)
# Order does not matter here, so a backlog is read bit by bit, with bounded memory.
RECORDS_PER_BATCH = 300_000
FILES_AT_ONCE = 2


def archive_job(spark: SparkSession, settings: Settings, topics: Mapping[str, Topic]) -> Job:
    """Keep the cold log and the quarantines of these topics."""
    archive = Archive(spark, settings, topics)

    def rows(most: int | None) -> DataFrame:
        most = min(most or RECORDS_PER_BATCH, RECORDS_PER_BATCH)
        records = kafka_log.read_all(spark, settings, sorted(topics), most=most).select(*COLUMNS)
        arrived = records.observe(f"{NAME}/arrived", F.max("timestamp").alias(ledger.LATEST))
        # All of a topic in one place: few files, and few tasks for what follows.
        return arrived.repartition(FILES_AT_ONCE, "topic")

    return Job(
        name=NAME,
        table=archive.table,
        checkpoint=archive.checkpoint,
        group=names.consumer_group(NAME),
        output="append",
        trigger=UNHURRIED,
        rows=rows,
        write=archive.write,
        note=archive.note,
        counts=lambda _observed: "{}",  # made when it is written
    )


class Archive:
    """The cold log, as the query that fills it sees it."""

    def __init__(self, spark: SparkSession, settings: Settings, topics: Mapping[str, Topic]) -> None:
        self._spark, self._settings, self._topics, self.table = spark, settings, topics, holding.TABLE
        self.checkpoint = f"{settings.checkpoints}/{self.table.replace('.', '/')}"
        # A range of offsets or time finds its files by topic and day, and by what each file says of itself.
        sinks.create_table(spark, self.table, SCHEMA, "topic, days(timestamp)")
        self._known()
        alarms.clear(settings, NAME, RECREATED)

    def write(self, found: DataFrame, commit: sinks.Commit, _bounds: sinks.Bounds) -> None:
        """Write a batch: what is no event to quarantine, and everything to the cold log."""
        counted = {
            (row["topic"], row["partition"]): row["count"]
            for row in found.groupBy("topic", "partition").count().collect()
        }
        complete = replace(commit, counts=self._ledger(commit, counted))
        for name in sorted({topic for topic, _partition in counted}):
            self._quarantine(found.where(F.col("topic") == name), name, commit)
        sinks.append(found.sortWithinPartitions("topic", "partition", "offset"), self.table, complete)

    def note(self, commit: sinks.Commit) -> None:
        """Note that offsets were read which gave no records: markers of transactions."""
        sinks.record(self._spark, self.table, replace(commit, counts=self._ledger(commit, {})))

    def _quarantine(self, records: DataFrame, name: str, commit: sinks.Commit) -> None:
        broken, table = pipeline.quarantined(records, self._topics[name]), f"quarantine.{name}"
        if not broken.isEmpty():
            sinks.create_table(self._spark, table, QUARANTINE_SCHEMA, "days(received_at)")
            if not histories.has_batch(self._spark, table, commit.query, commit.batch):
                sinks.append(broken, table, commit)

    def _ledger(self, commit: sinks.Commit, counted: Counted) -> str:
        """Add a batch to what is held. The topics are looked at after their records have been read."""
        held = dict(self._known())
        before = self._read_before(commit)
        for topic, ends in commit.offsets.items():
            parts = dict(held[topic].partitions)
            for number, end in ends.items():
                part, start = int(number), before.get(topic, {}).get(number, 0)
                if end > start:
                    records = counted.get((topic, part), 0)
                    parts[part] = held[topic].partition(part).with_batch(start, end, records)
            held[topic] = replace(held[topic], partitions=parts)
        return holding.write_ledger(held)

    def _read_before(self, commit: sinks.Commit) -> Mapping[str, Mapping[str, int]]:
        """Return where a batch begins; a partition that is new to the query is read from offset 0."""
        if commit.batch:
            return internals.planned_offsets(self._spark, self.checkpoint, commit.batch - 1)
        return internals.first_offsets(self._spark, self.checkpoint, 0)

    def _known(self) -> Ledger:
        """Return what is held, with every topic that there is; refuse topics that were made anew."""
        held = held_in(self._spark)
        with admin_client(self._settings, self._settings.reader) as client:
            ids = offsets.topic_ids(client, self._topics)
        try:
            return held | {topic: holding.of_topic(held, topic, found) for topic, found in ids.items()}
        except Refusal as refusal:
            message = f"{refusal.primary}. {refusal.detail}"
            alarms.raise_alarm(self._settings, NAME, RECREATED, message, DOCUMENT)
            raise


def held_in(spark: SparkSession) -> dict[str, holding.Holding]:
    """Return what the cold log holds, by the newest of its commits."""
    for snapshot in internals.snapshots(spark, f"{CATALOG}.{holding.TABLE}"):
        if (stored := snapshot.summary().get(histories.COUNTS)) is not None:
            return holding.read_ledger(stored)
    return {}
