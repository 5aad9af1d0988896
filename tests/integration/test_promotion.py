"""Moving readers between versions: one step, never half done, and never seen half done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws
from psycopg.types.json import Jsonb
from pyspark.sql import functions as F

from headwater import lake as iceberg
from headwater.artifacts import Artifact
from headwater.errors import Refusal
from headwater.registry import connect, releases, replays
from headwater.registry.wanted import changing
from headwater.replay import promote, release, rollback
from headwater.replay.moving import move
from headwater.replay.proof import Conservation, Proof
from headwater.shop import Simulation
from spark_apps import catalog, sinks
from spark_apps.session import CATALOG
from tests.streams import job_of, new_log, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

    from headwater.settings import Settings

MORE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """A view with two versions, whose rows can be told apart."""

    settings: Settings
    view: str
    old: str
    new: str

    def make_live(self, query: str) -> None:
        with connect(self.settings) as registry:
            move(self.settings, registry, query, "roll back", "a test")

    def live(self) -> str:
        """Return the version that the registry calls live; the pointer must say the same."""
        with connect(self.settings) as registry:
            version = releases.live_version(registry, self.view)
        table = iceberg.view_table(self.settings, self.view).name()
        assert table == tuple(version["table_name"].split("."))
        assert table == iceberg.view_tables(self.settings)[self.view].name()
        return str(version["query"])


@pytest.fixture(scope="module")
def versions(lake: SparkSession, instance: Settings) -> Iterator[Versions]:
    log = new_log(instance)
    log.load(Simulation(seed=1, rate=20, count=300))
    view = log.view(catalog.view("page_views_per_minute"))
    for build in (1, 2):
        run(lake, job_of(lake, log, replace(view, build=build)))
    lake.sql(f"UPDATE {CATALOG}.{replace(view, build=2).table} SET views = views + {MORE}")
    sinks.publish(lake, view)
    declared = {"app": "nobody", "version": 1, "fingerprint": "same", "logic": {}, "inputs": view.inputs}
    artifact = Artifact(hash=uuid.uuid4().hex[:16], path="nowhere", manifest={view.name: declared})
    with connect(instance) as registry:
        releases.register(registry, artifact, ["nobody"])
        new = releases.add_version(registry, artifact, view.name, status="warm")["query"]
    yield Versions(settings=instance, view=view.name, old=view.query, new=new)
    with connect(instance) as registry, changing(registry):  # so that nobody tries to run them
        for query in (view.query, new):
            releases.set_status(registry, query, "retired")


def test_reader_in_a_loop_sees_old_or_new_but_never_a_mix_and_never_an_error(
    lake: SparkSession, versions: Versions
) -> None:
    stop = threading.Event()
    seen: dict[str, list[frozenset[bool]]] = {"spark": [], "pyiceberg": []}

    def with_spark() -> frozenset[bool]:
        rows = lake.table(f"{CATALOG}.views.{versions.view}").select((F.col("views") > MORE).alias("new"))
        return frozenset(row.new for row in rows.distinct().collect())

    def with_pyiceberg() -> frozenset[bool]:
        rows = iceberg.newest_rows(versions.settings, versions.view, 1000)
        return frozenset(views > MORE for views in rows["views"].to_pylist())

    def loop(name: str, read: Callable[[], frozenset[bool]]) -> None:
        while not stop.is_set():
            seen[name].append(read())

    versions.make_live(versions.old)
    readers = [
        threading.Thread(target=loop, args=(name, read))
        for name, read in (("spark", with_spark), ("pyiceberg", with_pyiceberg))
    ]
    for reader in readers:
        reader.start()
    for _ in range(5):
        for query in (versions.new, versions.old):
            versions.make_live(query)
            before = {name: len(reads) for name, reads in seen.items()}
            while reader.is_alive() and any(len(reads) < before[name] + 2 for name, reads in seen.items()):
                stop.wait(0.01)
    stop.set()
    for reader in readers:
        reader.join()
    for reads in seen.values():
        assert set(reads) == {frozenset([True]), frozenset([False])}


CRASHES = {
    "before anything is written": "lake.move_pointer = lambda *_: die()",
    "after the file of the pointer": "before('UPDATE iceberg_tables')",
    "after the pointer, before the commit": "after('UPDATE iceberg_tables')",
    "after the commit": "pass",
}
CRASHING = """
import os, signal, sys
import psycopg
from headwater import lake
from headwater.registry import connect
from headwater.replay import moving
from headwater.settings import Settings

execute = psycopg.Connection.execute

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def before(words):
    psycopg.Connection.execute = lambda self, sql, *rest, **named: (
        die() if words in str(sql) else execute(self, sql, *rest, **named))

def after(words):
    def executed(self, sql, *rest, **named):
        result = execute(self, sql, *rest, **named)
        if words in str(sql):
            die()
        return result
    psycopg.Connection.execute = executed

exec(sys.argv[1])
settings = Settings.load()
with connect(settings) as registry:
    moving.move(settings, registry, sys.argv[2], "promote", "a test")
die()
"""


@pytest.mark.parametrize("crash", CRASHES)
def test_crash_leaves_pointer_and_registry_together(versions: Versions, crash: str) -> None:
    versions.make_live(versions.old)
    died = subprocess.run(
        [sys.executable, "-c", CRASHING, CRASHES[crash], versions.new],
        env=os.environ | {"HEADWATER_HOME": versions.settings.home},
        check=False,
    )
    assert died.returncode == -signal.SIGKILL
    assert versions.live() == (versions.new if crash == "after the commit" else versions.old)
    versions.make_live(versions.new)
    assert versions.live() == versions.new


def test_rolling_back_goes_to_the_version_before_and_says_so(versions: Versions) -> None:
    versions.make_live(versions.old)
    versions.make_live(versions.new)
    assert rollback(versions.settings, versions.view) == (
        f"view {versions.view} serves v1 again; v1b2 stays warm"
    )
    assert versions.live() == versions.old


def test_version_that_does_not_exist_is_refused(versions: Versions) -> None:
    with pytest.raises(Refusal, match="has no version v7 to roll back to"):
        rollback(versions.settings, versions.view, "v7")


def test_candidate_without_a_proof_that_holds_is_not_promoted(versions: Versions) -> None:
    versions.make_live(versions.old)
    key = f"key-{uuid.uuid4().hex[:8]}"
    with connect(versions.settings) as registry:
        releases.set_status(registry, versions.new, "candidate")
        replays.enter(registry, key=key, view=versions.view, query=versions.new, request={}, plan={})
    with pytest.raises(Refusal, match="has no proof yet"):
        promote(versions.settings, key, "someone")
    assert versions.live() == versions.old
    with connect(versions.settings) as registry:
        replays.close(registry, key, "rejected", "the test is over")
        releases.set_status(registry, versions.new, "warm")


@pytest.fixture
def glue(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return Glue as moto plays it, with a database for the copy of the catalog."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    with mock_aws():
        client = boto3.client("glue")
        client.create_database(DatabaseInput={"Name": "copy"})
        yield client


def test_promotion_and_roll_back_are_seen_in_the_copy_of_the_catalog_at_once(
    versions: Versions, glue: Any
) -> None:
    settings = replace(versions.settings, glue_database="copy")

    def shown() -> str:
        return str(
            glue.get_table(DatabaseName="copy", Name=versions.view)["Table"]["Parameters"][
                "metadata_location"
            ]
        )

    versions.make_live(versions.old)
    key, label = f"key-{uuid.uuid4().hex[:8]}", versions.new.rpartition(".")[2]
    flawless = Proof(
        view=versions.view,
        candidate=label,
        made_at=datetime.now(UTC),
        checks=(),
        difference=None,
        conservation=Conservation(batches=0, partitions=()),
    )
    with connect(settings) as registry:
        releases.set_status(registry, versions.new, "candidate")
        replays.enter(registry, key=key, view=versions.view, query=versions.new, request={}, plan={})
        registry.execute(
            "UPDATE versions SET proof = %s WHERE query = %s",
            [Jsonb(flawless.model_dump(mode="json")), versions.new],
        )
    promote(settings, key, "someone")
    assert shown() == iceberg.table(settings, table_of(settings, versions.new)).metadata_location
    rollback(settings, versions.view)
    assert shown() == iceberg.table(settings, table_of(settings, versions.old)).metadata_location


def test_released_version_is_retired_at_once_and_its_table_removed_after_the_grace_period(
    lake: SparkSession, versions: Versions
) -> None:
    """The last test of this module: nothing is left to go back to."""
    versions.make_live(versions.old)
    table = f"{CATALOG}.{table_of(versions.settings, versions.new)}"
    said = release(versions.settings, versions.view)
    assert said == [f"{versions.new} is retired"]
    assert lake.catalog.tableExists(table)
    with pytest.raises(Refusal, match="was released") as refused:
        rollback(versions.settings, versions.view)
    assert "headwater replay start" in refused.value.hint
    assert release(versions.settings, versions.view, grace=timedelta(0)) == [
        f"the table of {versions.new} is removed"
    ]
    assert not lake.catalog.tableExists(table)
    assert release(versions.settings, versions.view, grace=timedelta(0)) == []
    assert versions.live() == versions.old
    assert not lake.table(f"{CATALOG}.views.{versions.view}").isEmpty()


def table_of(settings: Settings, query: str) -> str:
    with connect(settings) as registry:
        return str(releases.version(registry, query)["table_name"])
