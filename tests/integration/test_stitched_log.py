"""A log of which Kafka has let the older half go: what was archived and what is left are one again.

The older half expires for real, by retention: Kafka looks every half minute.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kafka import TopicPartition
from kafka.admin import ConfigResource
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

from expectations.conserving import conserve
from expectations.proving import began_at
from expectations.snapshots import lineage
from expectations.versions import Declared, Version
from headwater import offsets
from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.replay.starting import resolve, seam
from headwater.shop import Simulation
from headwater.waiting import wait_until_nothing_is_missing
from spark_apps import catalog
from spark_apps.jobs import Start, view_job
from spark_apps.stitched_log import read_range
from tests.streams import Crash, archive, new_log, oracle, own_cold_log, rows_of, run, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka import KafkaAdminClient
    from pyspark.sql import DataFrame, Row, SparkSession

    from headwater.replay.starting import Stretch
    from headwater.settings import Settings
    from spark_apps.jobs import Job
    from spark_apps.view import View
    from tests.streams import Log

NOW = datetime.now(UTC).replace(microsecond=0)
# The new half goes on where the old one ends: sessions, repeats and late events straddle the stitch.
OLD, NEW, NEWEST = (NOW - timedelta(minutes=minutes) for minutes in (140, 120, 80))
TWENTY_MINUTES = timedelta(minutes=20)  # of each part of the log
EXPIRED_BEFORE, FOR_LONG = NOW - timedelta(minutes=118), timedelta(days=7)
PATIENCE = 75  # seconds
KEPT = ("partition", "offset", "timestamp", "key", "value")
# Windows that are corrected, sessions that close, and rows made with a table as it was at the time.
VIEWS = ("page_views_per_minute", "user_sessions", "enriched_page_views")


def visits(start: datetime, seed: int) -> Simulation:
    return Simulation(seed=seed, rate=0.5, start=start, count=600, out_of_order=0.1, repeated=0.05, late=0.03)


@pytest.fixture(scope="module")
def expired(lake: SparkSession, instance: Settings) -> Iterator[tuple[Log, set[Row]]]:
    """Return a log whose older half has expired, archived before; and all its records as they were."""
    log = new_log(instance, "page_views", "user_changelog")
    with own_cold_log(log), admin_client(instance, "admin") as admin:
        log.load(visits(OLD, 1))
        old = log.ends()
        configure(admin, log, "segment.ms", timedelta(seconds=1))
        log.load(visits(NEW, 2))
        archive(lake, log)
        everything = set(whole(lake, log, log.topic.name).select(*KEPT).collect())
        configure(admin, log, "retention.ms", datetime.now(UTC) - EXPIRED_BEFORE)

        def still_there() -> str:
            left = offsets.beginnings(admin, log.topic.name)
            return (
                "" if all(left[part] >= end for part, end in old.items()) else f"Kafka holds from {left} on"
            )

        assert wait_until_nothing_is_missing(still_there, PATIENCE) == ""
        configure(admin, log, "retention.ms", FOR_LONG)
        yield log, everything


def configure(admin: KafkaAdminClient, log: Log, key: str, value: timedelta) -> None:
    milliseconds = str(value // timedelta(milliseconds=1))
    admin.alter_configs([ConfigResource("topic", log.topic.name, {key: milliseconds})])


def stretches(log: Log, start: str) -> list[Stretch]:
    with admin_client(log.settings, "apps") as client:
        return resolve(log.settings, client, [log.topic.name], start)


def test_cold_log_and_kafka_are_one_log(lake: SparkSession, expired: tuple[Log, set[Row]]) -> None:
    log, everything = expired
    ends, first = log.ends(), dict.fromkeys(log.ends(), 0)

    def found(start: dict[int, int], end: dict[int, int]) -> DataFrame:
        return read_range(lake, log.settings, log.topic.name, start, end).select(*KEPT)

    def expected(start: dict[int, int], end: dict[int, int]) -> set[Row]:
        return {row for row in everything if start[row.partition] <= row.offset < end[row.partition]}

    middle = {stretch.partition: stretch.beginning for stretch in stretches(log, "earliest")}
    around = [{part: offset + step for part, offset in middle.items()} for step in (-20, 20)]
    for start, end in [(first, ends), (first, around[0]), (around[0], around[1]), (around[1], ends)]:
        rows = found(start, end).collect()
        assert len(rows) == len(expected(start, end))
        assert set(rows) == expected(start, end)


def test_earliest_is_where_the_cold_log_begins(expired: tuple[Log, set[Row]]) -> None:
    log, _everything = expired
    held = stretches(log, "earliest")
    assert [(part.asked, part.refusal) for part in held] == [(0, "")] * 3
    assert all(0 < part.cold_events == part.beginning < part.end for part in held)
    assert seam(log.settings, "earliest", held, timedelta(minutes=1)) is None


def test_time_and_offsets_before_what_kafka_holds_are_found_in_the_cold_log(
    expired: tuple[Log, set[Row]],
) -> None:
    log, everything = expired
    time = OLD + timedelta(minutes=10)
    for part in stretches(log, time.isoformat()):
        since = time.astimezone().replace(tzinfo=None)  # as Spark's Python gives times
        later = [
            row.offset for row in everything if row.partition == part.partition and row.timestamp >= since
        ]
        assert 0 < part.asked == min(later) < part.beginning
    held = stretches(log, '{"0": 5, "1": 5, "2": 5}')
    assert not any(part.refusal for part in held)
    whole_from = seam(log.settings, '{"0": 5, "1": 5, "2": 5}', held, timedelta(minutes=1))
    assert whole_from is not None
    assert OLD < whole_from < OLD + timedelta(minutes=10)


def test_what_neither_holds_is_refused_by_partition_and_offsets(
    lake: SparkSession, instance: Settings
) -> None:
    log = new_log(instance)
    log.load(visits(OLD, 3))
    ends = log.ends()
    with own_cold_log(log), admin_client(instance, "admin") as admin:
        admin.delete_records({TopicPartition(log.topic.name, 1): 20})
        archive(lake, log)
        admin.delete_records({TopicPartition(log.topic.name, partition): 50 for partition in ends})
        with pytest.raises(
            Refusal, match=rf"Offsets 7 to 19 of partition 1 of {log.topic.name} have expired"
        ):
            read_range(lake, instance, log.topic.name, {0: 7, 1: 7, 2: 7}, ends)
        held = read_range(lake, instance, log.topic.name, {0: 7, 1: 20, 2: 7}, ends)
        assert held.count() == sum(ends.values()) - 34
        assert [part.asked for part in stretches(log, "earliest")] == [0, 20, 0]


def from_the_beginning(log: Log) -> Start:
    """Return where a replay from the beginning would start."""
    held = stretches(log, "earliest")
    return Start(
        offsets={log.topic.name: {str(part.partition): part.asked for part in held}},
        stitches={log.topic.name: {str(part.partition): part.stitch for part in held}},
        seam=None,
    )


def job_from(spark: SparkSession, log: Log, view: View, start: Start) -> Job:
    partitions = {name: sorted(log.ends(name)) for name in view.reads}
    return view_job(spark, log.settings, view, log.by_name(), partitions, start)


def assert_accounted_for(spark: SparkSession, log: Log, view: View, start: Start) -> None:
    """Assert that the proof of such a version finds every offset, from the first one in the cold log on."""
    version = Version(
        view=view.name,
        label=view.label,
        table=view.table,
        checkpoint=view.checkpoint,
        declared=Declared.read(catalog.describe(view)),
        starting_offsets=start.offsets,
        stitches=start.stitches,
    )
    began = began_at(spark, log.settings, version)
    law = conserve(lineage(spark, view.table), began, version.starting_offsets, log.by_name())
    assert law.faults == ()
    parts = [part for part in law.partitions if part.topic == log.topic.name]
    found = {part.partition: (part.start, part.end, part.gaps) for part in parts}
    assert found == {partition: (0, end, 0) for partition, end in log.ends().items()}


@pytest.mark.parametrize("name", VIEWS)
def test_view_is_rebuilt_from_before_what_kafka_holds(
    lake: SparkSession, expired: tuple[Log, set[Row]], name: str
) -> None:
    log, _everything = expired
    view = log.view(catalog.view(name))
    start = from_the_beginning(log)
    job = job_from(lake, log, view, start)

    def dies_before_the_commit() -> None:
        raise Crash

    with pytest.raises(StreamingQueryException, match="Crash"):
        run(lake, job, guard=dies_before_the_commit)
    run(lake, job)
    turn = VIEWS.index(name)
    log.load(visits(NEWEST + turn * TWENTY_MINUTES, 4 + turn))  # and then it is a live view like any other
    run(lake, job)
    closed = F.expr(view.closing) < F.lit(NEWEST - timedelta(minutes=5))
    expected = oracle(lake, log, view).where(closed).collect()
    found = rows_of(lake, view).where(closed).collect()
    assert len(found) == len(expected) > 0
    assert set(found) == set(expected)
    assert_accounted_for(lake, log, view, start)
    assert list(Path(job.checkpoint, "thawed").rglob("*.parquet")) == []
