"""The batch layer on a real log, around a midnight: computed, compared, and served with the speed layer.

records    · · · · · ·|23:20 · · · ·|00:00 · · · · · · · · · · 01:00|
days        BEFORE                   AFTER
sessions          ├──────┤   ├─────────┤   ├───┤                    some straddle midnight
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from kafka import TopicPartition
from pyspark.sql import functions as F

from headwater import alarms, batch_layer, serving
from headwater.artifacts import Artifact
from headwater.registry import alone, connect, releases
from headwater.registry.wanted import changing
from headwater.replay.moving import move
from headwater.shop import Simulation
from spark_apps import batch_layer as layer
from spark_apps import catalog, histories, sinks
from spark_apps.session import CATALOG
from tests.readers import reading
from tests.streams import Crash, Log, archive, job_of, new_log, oracle, own_cold_log, rows_of, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from kafka import KafkaAdminClient
    from pyspark.sql import DataFrame, Row, SparkSession

    from headwater.batch_layer import HeldDay, Outcome
    from headwater.settings import Settings
    from spark_apps.view import View

DAY = timedelta(days=1)
# Long enough ago for both days to be closed, also for views that correct their rows for two more.
MIDNIGHT = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - 4 * DAY
BEFORE, AFTER = (MIDNIGHT - DAY).date(), MIDNIGHT.date()
FLAWS: dict[str, float] = {"out_of_order": 0.1, "repeated": 0.05, "late": 0.03}
# Windows that are corrected, sessions that close, and a join of two streams.
VIEWS = ("page_views_per_minute", "user_sessions", "ad_clicks")
WRONG, MORE = 999, 1000


def visits(seed: int, start: datetime, minutes: int) -> Simulation:
    return Simulation(seed=seed, rate=0.5, start=start, duration=timedelta(minutes=minutes), **FLAWS)


@pytest.fixture(scope="module")
def log(lake: SparkSession, instance: Settings) -> Iterator[Log]:
    log = new_log(instance, "page_views", "impressions", "clicks")
    log.load(visits(1, MIDNIGHT - timedelta(minutes=40), 100))
    with own_cold_log(log):
        archive(lake, log)
        yield log


@pytest.fixture(scope="module")
def views(lake: SparkSession, log: Log) -> Iterator[dict[str, View]]:
    """Return views whose only version is live, and has read the log."""
    views = {name: log.view(catalog.view(name)) for name in VIEWS}
    run(lake, *(job_of(lake, log, view) for view in views.values()))
    for view in views.values():
        go_live(lake, log.settings, view)
    yield views
    for view in views.values():
        retire(log.settings, view)


def go_live(lake: SparkSession, settings: Settings, view: View) -> Artifact:
    """Enter a view as its app would: its first version is live, and readers are pointed at it."""
    declared = catalog.describe(view) | {"app": "nobody"}
    artifact = Artifact(hash=catalog.fingerprint(view), path="nowhere", manifest={view.name: declared})
    with connect(settings) as registry:
        releases.register(registry, artifact, ["nobody"])
    sinks.publish(lake, view)
    return artifact


def compute(lake: SparkSession, log: Log, view: View, day: date | None) -> Outcome:
    (outcome,) = layer.run(lake, log.settings, log.by_name(), [view], day)
    return outcome


def held(log: Log, view: View) -> dict[date, HeldDay]:
    with connect(log.settings) as registry:
        return batch_layer.held(registry, view.query)


def served(lake: SparkSession, view: View) -> DataFrame:
    return lake.table(f"{CATALOG}.serving.{view.name}")


def counted(rows: DataFrame) -> Counter[Row]:
    return Counter(rows.collect())


def of_day(rows: DataFrame, view: View, day: date) -> DataFrame:
    return rows.where(F.to_date(view.time) == F.lit(day))


def snapshots(lake: SparkSession, view: View) -> int:
    return lake.table(f"{CATALOG}.{view.batch_table}.snapshots").count()


def differ(log: Log, view: View) -> list[str]:
    """Return what open alarms say of a view."""
    with connect(log.settings) as registry:
        return [one["message"] for one in alarms.open_alarms(registry) if one["subject"] == view.name]


@pytest.mark.parametrize("name", VIEWS)
def test_closed_day_is_the_same_in_both_layers_and_midnight_has_neither_gap_nor_double(
    lake: SparkSession, log: Log, views: dict[str, View], name: str
) -> None:
    view = views[name]
    outcome = compute(lake, log, view, BEFORE)
    assert not outcome.failed, outcome
    assert "as the speed layer has them" in outcome.done
    truth = counted(of_day(oracle(lake, log, view), view, BEFORE))
    assert counted(lake.table(f"{CATALOG}.batch.{view.name}")) == truth
    found = held(log, view)[BEFORE]
    assert (found.rows, found.difference.equal, found.difference.share) == (len(truth), len(truth), 0)
    assert len(truth) > 50

    rows = served(lake, view)
    assert counted(rows) == counted(rows_of(lake, view))
    (plan,) = lake.sql(f"EXPLAIN SELECT * FROM {CATALOG}.serving.{view.name}").collect()
    assert all(f"{CATALOG}.{table}" in plan[0] for table in (view.batch_table, view.table))
    straddling = of_day(rows, view, BEFORE).where(F.expr(view.closing) > F.lit(MIDNIGHT))
    assert name == "page_views_per_minute" or not straddling.isEmpty()


def test_computing_a_day_again_changes_nothing(lake: SparkSession, log: Log, views: dict[str, View]) -> None:
    view = views["page_views_per_minute"]
    compute(lake, log, view, BEFORE)
    before, rows = snapshots(lake, view), counted(served(lake, view))
    assert "computed again, and the same" in compute(lake, log, view, BEFORE).done
    assert (snapshots(lake, view), counted(served(lake, view))) == (before, rows)
    (newest, *_) = lake.sql(
        f"SELECT summary FROM {CATALOG}.{view.batch_table}.snapshots ORDER BY committed_at DESC"
    ).collect()
    assert newest.summary[histories.DAY] == str(BEFORE)
    assert newest.summary[histories.FINGERPRINT] == catalog.fingerprint(view)


def test_row_that_the_speed_layer_has_wrong_is_told_and_readers_have_it_right(
    lake: SparkSession, log: Log, views: dict[str, View]
) -> None:
    view = views["page_views_per_minute"]
    compute(lake, log, view, BEFORE)
    right = counted(served(lake, view))
    wrong = of_day(rows_of(lake, view), view, BEFORE).orderBy("minute_at", "page").first()
    update = f"UPDATE {CATALOG}.{view.table} SET views = :views WHERE minute_at = :at AND page = :page"
    key = {"at": wrong["minute_at"], "page": wrong["page"]}  # type: ignore[index]
    lake.sql(update, args={"views": WRONG, **key})
    assert counted(rows_of(lake, view)) != right

    assert "1 different from the speed layer" in compute(lake, log, view, BEFORE).done
    assert counted(served(lake, view)) == right
    without_spark = serving.newest_rows(log.settings, view.name, 10_000)["views"].to_pylist()
    assert sorted(without_spark) == sorted(row["views"] for row in right)
    (sample,) = held(log, view)[BEFORE].difference.samples
    assert sample.live is not None
    assert sample.candidate is not None
    assert (sample.live["views"], sample.candidate["views"]) == (str(WRONG), str(wrong["views"]))  # type: ignore[index]
    (message,) = differ(log, view)
    assert str(BEFORE) in message
    assert "batch against speed" in batch_layer.latest(log.settings)[1]

    lake.sql(update, args={"views": wrong["views"], **key})  # type: ignore[index]
    outcomes = layer.run(
        lake, log.settings, log.by_name(), [view]
    )  # a night: what differed is looked at again
    assert str(BEFORE) in {outcome.day for outcome in outcomes}
    assert differ(log, view) == []
    assert held(log, view)[BEFORE].difference.share == 0


def test_run_that_dies_before_the_switch_has_changed_nothing_for_readers(
    lake: SparkSession, log: Log, views: dict[str, View], monkeypatch: pytest.MonkeyPatch
) -> None:
    view = views["ad_clicks"]
    compute(lake, log, view, BEFORE)
    batch_layer.withdraw(log.settings, view.name, BEFORE)
    with monkeypatch.context() as patch:
        patch.setattr(batch_layer, "switch", die)
        lake.sql(f"DELETE FROM {CATALOG}.{view.batch_table}")
        with pytest.raises(Crash):
            compute(lake, log, view, BEFORE)
    assert lake.table(f"{CATALOG}.batch.{view.name}").isEmpty()
    assert counted(served(lake, view)) == counted(rows_of(lake, view))
    assert "the same" in compute(lake, log, view, BEFORE).done
    assert counted(served(lake, view)) == counted(rows_of(lake, view))


def die(*_arguments: object) -> None:
    raise Crash


def test_day_is_closed_when_it_is_over_read_and_archived(
    lake: SparkSession, log: Log, views: dict[str, View]
) -> None:
    view = views["page_views_per_minute"]
    compute(lake, log, view, BEFORE)
    today = compute(lake, log, view, datetime.now(UTC).date())
    assert today.failed
    assert "is not closed yet. Its last windows need all that is received up to" in today.done

    log.load(visits(2, MIDNIGHT - timedelta(minutes=10), 20))  # that come a day late
    assert "is not closed yet" in compute(lake, log, view, BEFORE).done
    run(lake, job_of(lake, log, view))
    assert "is not closed yet" in compute(lake, log, view, BEFORE).done
    archive(lake, log)
    for day in (BEFORE, AFTER):
        assert "rows computed and served; as the speed layer has them" in compute(lake, log, view, day).done
    assert counted(served(lake, view)) == counted(oracle(lake, log, view))


def test_view_of_tables_code_of_another_version_and_a_second_run_are_refused(
    lake: SparkSession, log: Log, views: dict[str, View]
) -> None:
    tables = compute(lake, log, catalog.view("user_profiles"), BEFORE)
    assert 'view "user_profiles" has no days' in tables.done
    view = views["page_views_per_minute"]
    other = compute(lake, log, replace(view, lateness=timedelta(minutes=11)), BEFORE)
    assert f'the code here is not that of v1 of view "{view.name}"' in other.done
    with alone(log.settings, f"batch layer of {view.name}"):
        assert "is under way already" in compute(lake, log, view, BEFORE).done
    assert all(one.failed for one in (tables, other))
    assert not compute(lake, log, replace(view, lateness=timedelta(minutes=11)), None).failed


def test_day_of_which_records_are_lost_is_refused(
    lake: SparkSession, instance: Settings, admin: KafkaAdminClient
) -> None:
    log = new_log(instance)
    log.load(visits(3, MIDNIGHT - timedelta(minutes=20), 10))
    gone = {TopicPartition(log.topic.name, partition): end // 2 for partition, end in log.ends().items()}
    admin.delete_records(gone)  # before anybody has archived them
    view = log.view(catalog.view("page_views_per_minute"))
    run(lake, job_of(lake, log, view))
    go_live(lake, instance, view)
    with own_cold_log(log):
        archive(lake, log)
        outcome = compute(lake, log, view, BEFORE)
    assert outcome.failed
    assert "cannot be computed again" in outcome.done
    retire(instance, view)


def retire(settings: Settings, view: View) -> None:
    """Let a view go, so that nobody tries to run it."""
    with connect(settings) as registry, changing(registry):
        for version in releases.versions(registry, view.name):
            releases.set_status(registry, version["query"], "retired")


def test_reader_in_a_loop_sees_no_mix_no_gap_and_no_error_while_days_and_versions_are_switched(
    lake: SparkSession, log: Log, views: dict[str, View]
) -> None:
    """The rows of the new version have more; those of both layers of a version are the same."""
    view = views["page_views_per_minute"]
    new = replace(view, build=2)
    run(lake, job_of(lake, log, new))
    lake.sql(f"UPDATE {CATALOG}.{new.table} SET views = views + {MORE}")
    compute(lake, log, view, BEFORE)
    compute(lake, log, view, AFTER)
    with connect(log.settings) as registry:
        artifact = releases.artifact(registry, catalog.fingerprint(view))
        releases.add_version(registry, artifact, view.name, status="warm")
    days = held(log, view)

    def read() -> tuple[int, int]:
        total: Any = (
            served(lake, view).agg(F.count(F.lit(1)).alias("rows"), F.sum("views").alias("views")).first()
        )
        return total["rows"], total["views"]

    rows, views_of_old = rows_of(lake, view).count(), read()[1]
    old_and_new = {(rows, views_of_old), (rows, views_of_old + MORE * rows)}
    with reading(spark=read) as readers:
        for _ in range(2):
            for day in (BEFORE, AFTER):
                batch_layer.withdraw(log.settings, view.name, day)
                readers.wait_for_a_few_reads()
            for query in (new.query, view.query):
                with connect(log.settings) as registry:
                    move(log.settings, registry, query, "promote", "a test")
                readers.wait_for_a_few_reads()
            for day, found in [(day, days[day]) for day in (BEFORE, AFTER)]:
                batch_layer.switch(log.settings, view.query, day, found.rows, found.offsets, found.difference)
                readers.wait_for_a_few_reads()
    assert set(readers.seen["spark"]) == old_and_new
    assert {BEFORE, AFTER} <= {day for day, found in held(log, view).items() if found.served}
