"""The cold log on a real log: every record once, gaps told from loss, no topic mixed with its successor."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from kafka import KafkaProducer, TopicPartition
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

from headwater import alarms, cold_log
from headwater import lake as lake_without_spark
from headwater.brokers import admin_client
from headwater.cold_log import holding
from headwater.errors import Refusal
from headwater.registry import connect
from headwater.shop import Simulation
from headwater.topics.applying import apply
from headwater.topics.plan import plan
from headwater.waiting import wait_until_nothing_is_missing
from spark_apps import histories, sinks
from spark_apps.archiving import NAME, archive_job
from spark_apps.session import CATALOG
from tests.streams import Crash, archive, forget_newest_commit, new_log, own_cold_log, run, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from headwater.cold_log import Finding
    from headwater.settings import Settings
    from tests.streams import Log

START = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=30)
PLACE = ("topic", "partition", "offset")
PATIENCE = 30  # seconds
KEPT = (*PLACE, "timestamp", "key", "value")


@pytest.fixture
def log(instance: Settings) -> Iterator[Log]:
    log = new_log(instance, "page_views", "user_changelog")
    log.load(part(0))
    with own_cold_log(log):
        yield log


def part(number: int, **flaws: float) -> Simulation:
    """Return one of several stretches of two days, an hour each, twelve hours apart."""
    start = START + number * timedelta(hours=12)
    return Simulation(seed=number, rate=0.1, start=start, count=360, **flaws)


def archived(spark: SparkSession) -> DataFrame:
    return spark.table(f"{CATALOG}.{holding.TABLE}")


def findings(log: Log) -> list[Finding]:
    return cold_log.check(log.settings, log.by_name())


def verdicts(log: Log, topic: str = "page_views") -> set[str]:
    return {found.verdict for found in findings(log) if found.topic == log.topics[topic].name}


def assert_same_records(spark: SparkSession, log: Log) -> None:
    """Assert that the cold log holds what the log holds: all of it, once."""
    for name in log.by_name():
        kept = archived(spark).where(F.col("topic") == name).select(*KEPT)
        there = whole(spark, log, name).select(*KEPT)
        assert kept.count() == there.count() == kept.select(*PLACE).distinct().count()
        assert there.exceptAll(kept).isEmpty()


def test_every_record_is_archived_once_whatever_crashes(lake: SparkSession, log: Log) -> None:
    job = archive(lake, log, most=200)
    assert len(histories.batches(lake, job.table)) > 1
    log.load(part(1, malformed=0.1))
    headers = [("trace", b"abc"), ("trace", b"def")]
    with KafkaProducer(**log.settings.kafka_client("admin")) as producer:
        producer.send(log.topic.name, b"{}", b"somebody", headers=headers).get(10)
    append = sinks.append

    def dies_before_the_cold_log(rows: DataFrame, table: str, commit: sinks.Commit) -> None:
        if table == job.table:
            raise Crash
        append(rows, table, commit)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sinks, "append", dies_before_the_cold_log)
        with pytest.raises(StreamingQueryException, match="Crash"):
            archive(lake, log)
    quarantine = lake.table(f"{CATALOG}.quarantine.{log.topic.name}")
    broken = quarantine.count()
    assert broken > 5
    archive(lake, log)
    forget_newest_commit(job.checkpoint)
    archive(lake, log)
    assert_same_records(lake, log)
    quarantine = lake.table(f"{CATALOG}.quarantine.{log.topic.name}")
    assert quarantine.count() == quarantine.select(*PLACE).distinct().count() == broken
    (row,) = archived(lake).where("CAST(key AS STRING) = 'somebody'").collect()
    assert [(header.key, bytes(header.value)) for header in row.headers] == headers
    assert {found.verdict for found in findings(log)} == {"whole"}
    assert_offsets_and_times_find_their_files(log)


def assert_offsets_and_times_find_their_files(log: Log) -> None:
    """Assert that what is asked for is found without opening all files: here half a day lies between them."""
    table = lake_without_spark.table(log.settings, holding.TABLE)
    assert table is not None
    ours = f"topic = '{log.topic.name}'"
    end = log.ends()[0]

    def files(where: str) -> int:
        return len(list(table.scan(row_filter=where).plan_files()))

    assert files(ours) < files("partition >= 0")
    assert 0 < files(f"{ours} AND timestamp >= '{(START + timedelta(hours=6)).isoformat()}'") < files(ours)
    assert 0 < files(f"{ours} AND partition = 0 AND offset >= {end - 1}") < files(ours)


def test_markers_of_transactions_are_gaps_and_no_loss(lake: SparkSession, log: Log) -> None:
    archive(lake, log)
    own = replace(log, topics={"page_views": log.topic})
    client = log.settings.kafka_client("admin")
    with KafkaProducer(**client, transactional_id=f"test{log.suffix}") as producer:
        producer.init_transactions()
        for ends_well in (True, False):
            producer.begin_transaction()
            producer.send(log.topic.name, b"{}", b"somebody", partition=0).get(PATIENCE)
            producer.commit_transaction() if ends_well else producer.abort_transaction()
            archive(lake, log)  # the second time there is nothing but offsets to note
    (found,) = (found for found in findings(own) if found.partition == 0)
    assert (found.verdict, found.gaps) == ("whole", 3)  # two markers, and a record that never happened
    assert found.reached == found.end == found.rows + 3


def test_what_kafka_has_let_go_before_it_was_archived_is_loss(lake: SparkSession, log: Log) -> None:
    archive(lake, log)
    archived_up_to = log.ends()[1]
    log.load(part(1))
    assert all(verdict.endswith(" behind") for verdict in verdicts(log))
    with admin_client(log.settings, "admin") as client:
        client.delete_records({TopicPartition(log.topic.name, 1): archived_up_to + 7})
    (lost,) = (found for found in findings(log) if found.lost)
    assert (lost.topic, lost.partition) == (log.topic.name, 1)
    assert lost.verdict == f"lost: {archived_up_to} to {archived_up_to + 6}"
    with pytest.raises(StreamingQueryException, match=r"(?i)data.loss|may have been"):
        archive(lake, log)


def test_rows_that_are_no_longer_there_are_damage(lake: SparkSession, log: Log) -> None:
    archive(lake, log)
    lake.sql(f"DELETE FROM {CATALOG}.{holding.TABLE} WHERE topic = '{log.topic.name}' AND offset = 3")
    assert all(verdict.startswith("damaged: ") for verdict in verdicts(log))
    assert verdicts(log, "user_changelog") == {"whole"}


def test_topic_that_is_declared_later_is_archived_from_its_first_record(lake: SparkSession, log: Log) -> None:
    archive(lake, replace(log, topics={"page_views": log.topic}))
    archive(lake, log)
    assert_same_records(lake, log)
    assert {found.verdict for found in findings(log)} == {"whole"}


def test_topic_that_was_made_anew_is_refused_and_not_mixed_in(lake: SparkSession, log: Log) -> None:
    job = archive(lake, log)
    before = archived(lake).count()
    with admin_client(log.settings, "admin") as client:
        client.delete_topics([log.topic.name])
        assert (
            wait_until_nothing_is_missing(
                lambda: "it is still there" if log.topic.name in client.list_topics() else "", PATIENCE
            )
            == ""
        )
    apply(log.settings, plan(log.settings, {log.topic.name: log.topic}))
    log.load(part(1))
    log.load(part(2))  # longer than it was: by its offsets alone it could be the old one
    with pytest.raises(StreamingQueryException, match="was deleted and made anew"):
        run(lake, job)
    with pytest.raises(Refusal, match=f'"{log.topic.name}" was deleted and made anew'):
        archive_job(lake, log.settings, log.by_name())
    assert archived(lake).count() == before
    assert verdicts(log) == {"deleted and made anew: not archived"}
    with connect(log.settings) as registry:
        (alarm,) = (alarm for alarm in alarms.open_alarms(registry) if alarm["subject"] == NAME)
    assert log.topic.name in alarm["message"]
    alarms.clear(log.settings, NAME, alarm["kind"])
