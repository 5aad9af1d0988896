"""Maintenance on a real lake: files and history stay bounded, and live queries do not notice."""

from __future__ import annotations

import os
import shutil
import threading
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlparse

import pytest
from psycopg.types.json import Jsonb
from pyspark.sql import functions as F

from headwater.artifacts import Artifact
from headwater.maintenance import Policy, latest, retiring
from headwater.registry import connect, releases
from headwater.shop import Simulation
from spark_apps import catalog, histories, internals, maintaining, sinks
from spark_apps.maintaining import maintain, maintain_tables
from spark_apps.session import CATALOG
from spark_apps.surveying import look
from tests.streams import assert_up_to_date, job_of, new_log, rows_of, run
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from headwater.maintenance import Outcome
    from headwater.settings import Settings
    from spark_apps.view import View

FIRST_DAY = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
DAYS, COMMITS = 10, 500
SCHEMA = "at TIMESTAMP, number BIGINT"
# Nothing is left alone: every partition is rewritten each time, also those that a query writes to.
ALL_AT_ONCE = Policy(open_days=-1, few=1, many=1, manifests=1)
NO_HISTORY = Policy(history=timedelta(0))


@pytest.fixture
def table(lake: SparkSession) -> str:
    return new_table(lake)


def new_table(lake: SparkSession) -> str:
    """Make a table of a test's own, divided by day."""
    name = f"versions.numbers_{uuid.uuid4().hex[:8]}__v1"
    sinks.create_table(lake, name, SCHEMA, "days(at)")
    return name


def batch(number: int) -> sinks.Commit:
    return sinks.Commit(query="q", batch=number, offsets={"numbers": {"0": number}}, counts="{}")


def add(lake: SparkSession, table: str, number: int, *days: int) -> None:
    rows = [(FIRST_DAY + day * DAY, number) for day in days]
    sinks.append(lake.createDataFrame(rows, SCHEMA).coalesce(1), table, batch(number))


def steps(outcomes: list[Outcome]) -> Counter[str]:
    assert [outcome for outcome in outcomes if outcome.failed] == []
    return Counter(outcome.step for outcome in outcomes)


def files_of(lake: SparkSession, table: str) -> list[Path]:
    found = lake.table(f"{CATALOG}.{table}.files").select("file_path").collect()
    return sorted(Path(urlparse(row.file_path).path) for row in found)


class Committer:
    """Commits to a table as quickly as it can be done: each adds a copy of a file, and carries a batch."""

    def __init__(self, lake: SparkSession, table: str) -> None:
        self._table = internals.iceberg_table(lake, f"{CATALOG}.{table}")
        self._files = lake._jvm.org.apache.iceberg.DataFiles
        add(lake, template := new_table(lake), 0, *range(DAYS))
        self._originals = sorted(files_of(lake, template), key=lambda path: path.parent.name)

    def commit(self, number: int) -> None:
        original = self._originals[number * DAYS // COMMITS]
        day = original.parent.name
        copy = Path(urlparse(self._table.location()).path, "data", day, f"{number}.parquet")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(original, copy)
        file = self._files.builder(self._table.spec()).withPath(str(copy)).withFormat("parquet")
        file = file.withFileSizeInBytes(copy.stat().st_size).withRecordCount(1).withPartitionPath(day)
        update = self._table.newFastAppend().appendFile(file.build())
        for key, value in batch(number).properties().items():
            update.set(key, value)
        update.commit()


def test_files_and_history_stay_bounded_over_500_commits(
    lake: SparkSession, instance: Settings, table: str
) -> None:
    committer, a_day = Committer(lake, table), COMMITS // DAYS
    for number in range(COMMITS):
        committer.commit(number)
        if number % 250 == 249:
            steps(maintain_tables(lake, instance, [table], NO_HISTORY))
            seen = look(lake, table)
            closed = len(seen.partitions) - 1 - NO_HISTORY.open_days
            assert sum(part.files for part in seen.partitions) <= closed + a_day * (1 + NO_HISTORY.open_days)
            assert seen.manifests <= NO_HISTORY.manifests
            assert len(seen.snapshots) <= 3
            assert histories.has_batch(lake, table, "q", number)
    counted = lake.table(f"{CATALOG}.{table}").groupBy("at").count().collect()
    assert [row["count"] for row in counted] == [a_day] * DAYS


def test_strays_are_removed_when_they_are_old_and_only_from_where_no_checkpoint_is(
    lake: SparkSession, instance: Settings, table: str
) -> None:
    add(lake, table, 0, 0)
    (file,) = files_of(lake, table)
    old, young = file.with_name("old.parquet"), file.with_name("young.parquet")
    for stray in (old, young):
        stray.write_text("of a batch that died")
    long_ago = time.time() - (Policy().stray + DAY).total_seconds()
    os.utime(old, (long_ago, long_ago))
    beside = replace(instance, checkpoints=str(old.parent / "checkpoints"))
    assert maintain_tables(lake, beside, [table], Policy()) == []
    (dry,) = maintain_tables(lake, instance, [table], Policy(), dry_run=True)
    assert (dry.step, dry.why, old.exists()) == ("sweep", "1 files that nobody refers to", True)
    (swept,) = maintain_tables(lake, instance, [table], Policy())
    assert (swept.done, swept.freed) == ("1 files removed", len("of a batch that died"))
    assert (old.exists(), young.exists()) == (False, True)
    assert lake.table(f"{CATALOG}.{table}").count() == 1


def test_rows_before_a_batch_are_known_when_the_files_have_been_rewritten_since(
    lake: SparkSession, instance: Settings, table: str
) -> None:
    for number in (0, 1, 2):
        add(lake, table, number, 0)
    assert steps(maintain_tables(lake, instance, [table], ALL_AT_ONCE))["rewrite"] == 1
    before = histories.rows_before(lake, table, "q", 2)
    assert sorted(row.number for row in before.collect()) == [0, 1]


@pytest.fixture(params=[False, True], ids=["rewrites files", "marks rows"])
def view(request: pytest.FixtureRequest, lake: SparkSession) -> View:
    """Return a view that replaces rows, in either way, with rows in two files."""
    found = catalog.view("page_views_per_minute")
    own = replace(found, name=f"{found.name}_{uuid.uuid4().hex[:8]}")
    sinks.create_table(lake, own.table, own.schema, "days(minute_at)", mark_rows=request.param)
    later = lake.createDataFrame([(FIRST_DAY + timedelta(hours=1), "later", 0, 1)], own.schema)
    sinks.append(later, own.table, batch(0))
    upsert(counts(lake, own, 1), own, 1)
    return own


def counts(lake: SparkSession, view: View, views: int) -> DataFrame:
    rows = [(FIRST_DAY, page, views, 1) for page in ("a", "b", f"c{views}")]
    # A query has a session of its own, which its merges leave their settings in.
    return lake.newSession().createDataFrame(rows, view.schema)


def upsert(rows: DataFrame, view: View, number: int) -> None:
    bounds = {"found": 3, "first": FIRST_DAY, "last": FIRST_DAY}
    sinks.upsert(rows, view, batch(number), bounds)


def test_batch_whose_files_were_rewritten_under_it_is_merged_anew(
    lake: SparkSession, instance: Settings, view: View, tmp_path: Path
) -> None:
    """The batch has chosen the files to change, and computes its rows, when all files are rewritten."""
    begun, go_on = tmp_path / "begun", tmp_path / "go-on"

    @F.udf("bigint")
    def after_the_rewrite(views: int) -> int:
        begun.touch()
        deadline = time.monotonic() + 60
        while not go_on.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        return views

    # In one task: the other core is for the rewrite.
    slow = counts(lake, view, 7).coalesce(1).withColumn("views", after_the_rewrite("views"))
    with ThreadPoolExecutor(1) as threads:
        live = threads.submit(upsert, slow, view, 7)
        wait_for("the batch", lambda: begun.exists() or live.done())
        try:
            assert steps(maintain_tables(lake, instance, [view.table], ALL_AT_ONCE))["rewrite"] == 1
        finally:
            go_on.touch()
        live.result(timeout=120)
    found = {row.page: row.views for row in rows_of(lake, view).collect()}
    assert found == {"a": 7, "b": 7, "c1": 1, "c7": 7, "later": 0}
    assert histories.has_batch(lake, view.table, "q", 7)


def test_live_queries_go_on_while_everything_is_maintained_all_the_time(
    lake: SparkSession, instance: Settings
) -> None:
    log = new_log(instance, "page_views", "user_changelog")
    views = [log.view(catalog.view(name)) for name in ("page_views_per_minute", "enriched_page_views")]
    jobs = [job_of(lake, log, view) for view in views]
    enriched = views[-1]
    tables = [*(view.table for view in views), *(enriched.state_table(topic) for topic in enriched.reads)]
    done: list[Outcome] = []
    with maintained_all_the_time(lake, instance, tables, done):
        start = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=2)
        simulation = Simulation(seed=3, rate=1, start=start, count=1200, out_of_order=0.05, repeated=0.05)
        for _ in log.slices(simulation, 300, 300, 300, 300):
            run(lake, *jobs)
    assert steps(done)["rewrite"] >= len(tables)
    for view in views:
        assert_up_to_date(lake, log, view)


@contextmanager
def maintained_all_the_time(
    lake: SparkSession, settings: Settings, tables: list[str], done: list[Outcome]
) -> Iterator[None]:
    """Maintain tables again and again, until the block is over."""
    over = threading.Event()

    def again_and_again() -> None:
        while not over.is_set():
            done.extend(maintain_tables(lake, settings, tables, ALL_AT_ONCE))

    with ThreadPoolExecutor(1) as threads:
        maintaining = threads.submit(again_and_again)
        try:
            yield
        finally:
            over.set()
            maintaining.result(timeout=120)


def test_run_is_kept_in_the_registry_and_a_dry_run_changes_nothing(
    lake: SparkSession, instance: Settings, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        add(lake, table, number, 0)
    monkeypatch.setattr(maintaining, "all_tables", lambda _: iter([table]))
    before = look(lake, table)
    dry = maintain(lake, instance, ALL_AT_ONCE, dry_run=True)
    assert look(lake, table) == before
    assert (latest(instance)["dry_run"], latest(instance)["outcomes"]) == (True, dry)
    done = maintain(lake, instance, ALL_AT_ONCE, dry_run=False)
    assert "3 rows" in next(one.done for one in done if one.step == "rewrite")
    assert (latest(instance)["dry_run"], latest(instance)["outcomes"]) == (False, done)
    assert sum(part.files for part in look(lake, table).partitions) == 1


@pytest.fixture
def retired(instance: Settings, lake: SparkSession) -> Iterator[dict[str, Any]]:
    """Return a version that was retired eight days ago, with its table and its checkpoint."""
    name = f"numbers_{uuid.uuid4().hex[:8]}"
    code = Artifact(
        hash=f"needed-{name}", path="nowhere", manifest={name: {"version": 1, "fingerprint": "f", "app": "a"}}
    )
    with connect(instance) as registry:
        version = releases.add_version(registry, code, name, status="retired")
        registry.execute(
            "UPDATE versions SET status_at = now() - interval '8 days' WHERE query = %s", [version["query"]]
        )
    sinks.create_table(lake, version["table_name"], SCHEMA, "days(at)")
    Path(instance.checkpoints, version["checkpoint"]).mkdir(parents=True)
    yield version
    with connect(instance) as registry:
        registry.execute("DELETE FROM versions WHERE query = %s", [version["query"]])
        registry.execute("DELETE FROM artifacts WHERE hash = %s", [code.hash])


def test_what_was_retired_and_code_that_nobody_needs_is_let_go(
    lake: SparkSession, instance: Settings, retired: dict[str, Any]
) -> None:
    folder = Path(instance.artifacts)
    folder.mkdir(parents=True, exist_ok=True)
    needed, unneeded, young = (
        folder / f"{name}-{retired['view']}.zip" for name in ("needed", "unneeded", "young")
    )
    for path in (needed, unneeded, young):
        path.write_bytes(b"code")
    for path in (needed, unneeded):
        os.utime(path, (1, 1))
    with connect(instance) as registry:
        registry.execute("INSERT INTO artifacts VALUES (%s, %s, %s)", [unneeded.stem, "nowhere", Jsonb({})])
    checkpoint = Path(instance.checkpoints, retired["checkpoint"])
    dry = retiring.retire(instance, dry_run=True)
    listed = {(one.subject, one.step) for one in dry}
    assert {(retired["query"], "drop"), (unneeded.name, "discard")} <= listed
    assert (checkpoint.exists(), unneeded.exists()) == (True, True)
    retiring.retire(instance, dry_run=False)
    assert (checkpoint.exists(), unneeded.exists()) == (False, False)
    assert (needed.exists(), young.exists()) == (True, True)
    assert not lake.catalog.tableExists(f"{CATALOG}.{retired['table_name']}")
    left = {one.subject for one in retiring.retire(instance, dry_run=True)}
    assert not left & {retired["query"], unneeded.name, needed.name, young.name}
