"""A rebuild at a seam, of a log whose older part only the cold log holds: history once, and no loss."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from kafka import TopicPartition
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

from expectations.conserving import conserve
from expectations.proving import began_at
from expectations.snapshots import lineage
from headwater import lake as lakes
from headwater.brokers import admin_client
from headwater.cold_log import holding
from headwater.replay.proof import Proof
from headwater.shop import Simulation
from headwater.time_travel import moments
from spark_apps import catalog, pipeline, stitched_log
from spark_apps.session import CATALOG
from tests.rebuilds import from_the_first_record, rebuild_of
from tests.streams import (
    Crash,
    anybody_may_write,
    archive,
    assert_up_to_date,
    new_log,
    own_cold_log,
    rows_of,
    run,
)
from tests.versions import version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from spark_apps.seam import Cut
    from spark_apps.view import View
    from tests.streams import Log

START = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=4)
FORTY_MINUTES = timedelta(minutes=40)  # of each part of the log
MESSY = {"out_of_order": 0.1, "repeated": 0.05, "late": 0.03, "malformed": 0.02, "wrong_clock": 0.03}


def visits(number: int, count: int = 1200) -> Simulation:
    start = START + number * FORTY_MINUTES
    # Of few people some would never leave, and a session that is open moves the seam before it.
    many = 20_000
    return Simulation(seed=number, rate=0.5, start=start, count=count, users=many, **MESSY)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def log(lake: SparkSession, instance: Settings) -> Iterator[Log]:
    """Return a log of two hours, of which Kafka has let go most of the first."""
    log = new_log(instance)
    with own_cold_log(log), admin_client(instance, "admin") as admin:
        log.load(visits(0))
        old = log.ends()
        log.load(visits(1))
        archive(lake, log)
        log.load(visits(2))
        admin.delete_records({TopicPartition(log.topic.name, part): end for part, end in old.items()})
        yield log


def problems(spark: SparkSession, log: Log, view: View, cut: Cut) -> list[str]:
    """Return what the proof of such a version says of its records."""
    asked = from_the_first_record(log, view)
    version = version_of(view, starting_offsets=asked.offsets, stitches=asked.stitches, cut=cut)
    began = began_at(spark, log.settings, version)
    found = conserve(lineage(spark, view.table), began, version.starting_offsets, log.by_name())
    assert {one.partition: (one.start, one.end) for one in found.partitions} == {
        partition: (0, end) for partition, end in log.ends().items()
    }
    proof = Proof(
        view=view.name, candidate=view.label, made_at=START, checks=(), difference=None, conservation=found
    )
    return proof.problems


class Dying:
    """A driver that dies before one of its commits."""

    def __init__(self, lives: int) -> None:
        self.lives = lives

    def __call__(self) -> None:
        if not self.lives:
            raise Crash
        self.lives -= 1


def test_driver_that_dies_goes_on_and_writes_history_once(lake: SparkSession, log: Log) -> None:
    view, decided = log.view(catalog.view("user_sessions")), []

    def remember(cut: Cut) -> Cut:
        decided.append(cut)
        return cut

    def driver(guard: Callable[[], None]) -> None:
        cut = decided[0] if decided else None
        run(lake, rebuild_of(lake, log, view, cut, remember)[0], guard=guard)

    with pytest.raises(Crash):  # before history is committed
        driver(Dying(0))
    assert lineage(lake, view.table) == []
    with pytest.raises(StreamingQueryException, match="Crash"):  # after it, and before the first batch
        driver(Dying(1))
    (cut,) = decided
    (written,) = lineage(lake, view.table)
    assert rows_of(lake, view).where(F.col("started_at") >= F.lit(cut.at)).isEmpty()
    history = rows_of(lake, view).count()
    assert history > 0

    driver(anybody_may_write)
    assert_up_to_date(lake, log, view)
    log.load(visits(3))  # and then it is a live view like any other
    driver(anybody_may_write)
    assert_up_to_date(lake, log, view)
    assert rows_of(lake, view).count() > history
    assert problems(lake, log, view, cut) == []
    past = moments(lakes.catalog(log.settings).load_table(view.table))
    assert (past[0].snapshot, past[0].offsets) == (written.id, cut.until)

    table = f"{CATALOG}.{view.table}"
    lake.sql(f"DELETE FROM {table} WHERE user_id = (SELECT min(user_id) FROM {table})")
    (problem,) = problems(lake, log, view, cut)
    assert "somebody else changed its rows" in problem


def test_late_events_from_before_the_stream_are_kept_too(lake: SparkSession, log: Log) -> None:
    view, decided = log.view(catalog.view("user_sessions")), []
    run(lake, *rebuild_of(lake, log, view, remember=lambda cut: decided.append(cut) or cut))
    assert len(decided) == 1  # by one of the two queries, for both
    topic, ends = log.topic.name, log.ends()
    records = stitched_log.read_range(lake, log.settings, topic, dict.fromkeys(ends, 0), ends)
    expected = pipeline.late_events(records, log.topic, view).select("partition", "offset").collect()
    found = lake.table(f"{CATALOG}.{view.late_table(topic)}").select("partition", "offset").collect()
    assert sorted(found) == sorted(expected)
    early = [row for row in found if row.offset < decided[0].start[topic][str(row.partition)]]
    assert 0 < len(early) < len(found)


def test_event_that_is_too_old_for_history_stops_the_query(lake: SparkSession, instance: Settings) -> None:
    log = new_log(instance)
    log.load(visits(0))
    view, decided = log.view(catalog.view("page_views_per_minute_received")), []

    def meanwhile() -> None:
        if len(decided) == 1 and rows_of(lake, view).isEmpty():
            log.load(Simulation(seed=9, rate=1, start=START, count=9))

    (job,) = rebuild_of(lake, log, view, remember=lambda cut: decided.append(cut) or cut)
    with pytest.raises(StreamingQueryException, match=r"has 9 events of a time that was taken for final"):
        run(lake, job, guard=meanwhile)
    assert len(lineage(lake, view.table)) == 1


def test_record_that_history_did_not_get_is_told_by_the_proof(lake: SparkSession, log: Log) -> None:
    lake.sql(f"DELETE FROM {CATALOG}.{holding.TABLE} WHERE partition = 1 AND offset = 7")
    view, decided = log.view(catalog.view("page_views_per_minute_received")), []
    run(lake, *rebuild_of(lake, log, view, remember=lambda cut: decided.append(cut) or cut))
    assert problems(lake, log, view, decided[0]) == [f"Records lost from {log.topic.name} partition 1: 1."]
