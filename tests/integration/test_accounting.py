"""Every record is accounted for: used, quarantined, late or repeated; and the numbers add up."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

from headwater.shop import Simulation, records
from headwater.shop.flaws import FLAWS
from spark_apps import catalog
from spark_apps.histories import COUNTS, OFFSETS
from spark_apps.jobs import late_job
from spark_apps.session import CATALOG
from tests.streams import Log, job_of, ledger_of, new_log, rows_of, run, run_quarantine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.settings import Settings

START = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=2)
SIMULATION = Simulation(
    streams=("page_views",),
    seed=5,
    rate=2,
    start=START,
    count=4000,
    out_of_order=0.05,
    late=0.03,
    repeated=0.04,
    wrong_clock=0.05,
    malformed=0.02,
)
SENT = list(records(SIMULATION))
KINDS = Counter(record.kind for record in SENT)


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    log = new_log(instance)
    log.load(SIMULATION)
    return log


def totals(commits: list[dict[str, Any]], topic: str) -> Counter[str]:
    """Add the ledgers of all batches and partitions up."""
    total: Counter[str] = Counter()
    for commit in commits:
        for counts in json.loads(commit[COUNTS]).get(topic, {}).values():
            total.update(counts)
    return total


def test_ledger_tells_where_every_record_went(lake: SparkSession, log: Log) -> None:
    view = log.view(catalog.view("page_views_per_minute"))
    run(lake, job_of(lake, log, view), most=1500)
    total = totals(ledger_of(lake, view), log.topic.name)
    assert total == {
        "arrived": len(SENT),
        "quarantined": KINDS["malformed"],
        "late": 0,  # this view corrects its rows instead of leaving late events out
        "repeated": KINDS["repeated"],
        "used": len(SENT) - KINDS["malformed"] - KINDS["repeated"],
    }
    counted: Any = rows_of(lake, view).agg(F.sum("views"), F.sum(F.col("revision") - 1)).first()
    assert tuple(counted) == (total["used"], KINDS["late"])


def test_late_events_that_are_ignored_are_counted(lake: SparkSession, log: Log) -> None:
    ignoring = replace(log.view(catalog.view("page_views_per_minute")), late="ignore")
    run(lake, job_of(lake, log, ignoring))
    total = totals(ledger_of(lake, ignoring), log.topic.name)
    assert total["late"] == KINDS["late"]
    assert total["used"] == len(SENT) - KINDS["malformed"] - KINDS["repeated"] - KINDS["late"]
    assert rows_of(lake, ignoring).where("revision > 1").isEmpty()


def test_late_events_that_are_kept_separate_are_in_a_table_of_their_own(lake: SparkSession, log: Log) -> None:
    separate = replace(log.view(catalog.view("page_views_per_minute")), late="separate")
    run(lake, job_of(lake, log, separate))
    assert totals(ledger_of(lake, separate), log.topic.name)["late"] == KINDS["late"]
    run(lake, late_job(lake, log.settings, separate, log.topic))
    kept = lake.table(f"{CATALOG}.{separate.late_table(log.topic.name)}").collect()
    late = {record.event_id: record for record in SENT if record.kind == "late"}
    assert {row.event_id for row in kept} == late.keys()
    assert len(kept) == len(late)
    for row in kept:
        happened = row.event_time.replace(tzinfo=UTC).timestamp() * 1000
        assert round(happened) == late[row.event_id].happened_at


def test_each_partition_adds_up_to_its_offsets(lake: SparkSession, log: Log) -> None:
    view = log.view(catalog.view("page_views_per_minute"))
    run(lake, job_of(lake, log, view), most=1500)
    commits = ledger_of(lake, view)
    arrived: Counter[int] = Counter()
    for commit in commits:
        for partition, counts in json.loads(commit[COUNTS])[log.topic.name].items():
            arrived[int(partition)] += counts["arrived"]
            parts = ("quarantined", "late", "repeated", "used")
            assert counts["arrived"] == sum(counts[part] for part in parts)
    assert arrived == log.ends()
    reached = json.loads(commits[-1][OFFSETS])[log.topic.name]
    assert {int(partition): offset for partition, offset in reached.items()} == log.ends()


def test_every_flaw_lands_in_quarantine_with_its_place_and_its_bytes(lake: SparkSession, log: Log) -> None:
    found = run_quarantine(lake, log).collect()
    malformed = [record for record in SENT if record.kind == "malformed"]
    assert {record.flaw for record in malformed} == FLAWS.keys()
    assert Counter(_bytes(row.value) for row in found) == Counter(record.value for record in malformed)
    assert {row.topic for row in found} == {log.topic.name}
    assert len({(row.partition, row.offset) for row in found}) == len(found)
    assert all(row.reason and row.received_at for row in found)


def _bytes(value: bytearray | None) -> bytes | None:
    return None if value is None else bytes(value)
