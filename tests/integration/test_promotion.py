"""Moving readers between versions: one step, never half done, and never seen half done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws
from psycopg.types.json import Jsonb
from pyspark.sql import functions as F

from headwater import iceberg_views, serving
from headwater import lake as iceberg
from headwater.artifacts import Artifact
from headwater.errors import Refusal
from headwater.registry import connect, releases, replays
from headwater.registry.wanted import changing
from headwater.replay import promote, release, rollback
from headwater.replay.moving import move
from headwater.replay.proof import CheckResult, Conservation, Difference, PartitionLedger, Proof
from headwater.shop import Simulation
from spark_apps import catalog, sinks
from spark_apps.session import CATALOG
from tests.readers import reading
from tests.streams import job_of, new_log, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from headwater.settings import Settings

MORE = 1000
FLAWLESS = Proof(
    view="page_views_per_minute",
    candidate="v1b2",
    made_at=datetime.now(UTC),
    checks=(),
    difference=None,
    conservation=Conservation(batches=0, partitions=()),
)


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
        """Return the version that the registry calls live; all that readers follow must say the same."""
        with connect(self.settings) as registry:
            version = releases.live_version(registry, self.view)
            speed = f"SELECT * FROM {CATALOG}.{version['table_name']}"
            for layer, sql in (("serving", speed), ("batch", f"{speed} WHERE false")):
                place = iceberg_views.places(registry, layer)[self.view]
                assert iceberg_views.sql_of(iceberg_views.read(self.settings, place)) == sql
        table = iceberg.view_table(self.settings, self.view).name()
        assert table == tuple(version["table_name"].split("."))
        assert table == iceberg.view_tables(self.settings)[self.view].name()
        return str(version["query"])

    def rows(self) -> list[dict[str, Any]]:
        """Return what readers of the view see."""
        return iceberg.newest_rows(self.settings, self.view, 1000).to_pylist()

    def moves(self) -> int:
        """Return how often readers were moved."""
        with connect(self.settings) as registry:
            return len(registry.execute("SELECT FROM moves WHERE view = %s", [self.view]).fetchall())

    @contextmanager
    def replayed(self, proof: Proof | None) -> Iterator[str]:
        """Let the new version be the candidate of a replay, with this proof; give the replay's key."""
        self.make_live(self.old)
        key = f"key-{uuid.uuid4().hex[:8]}"
        with connect(self.settings) as registry:
            releases.set_status(registry, self.new, "candidate")
            replays.enter(registry, key=key, view=self.view, query=self.new, request={}, plan={})
            registry.execute(
                "UPDATE versions SET proof = %s WHERE query = %s",
                [Jsonb(proof.model_dump(mode="json")) if proof else None, self.new],
            )
        try:
            yield key
        finally:
            self.make_live(self.old)
            with connect(self.settings) as registry:
                replays.close(registry, key, "rejected", "the test is over")
                releases.set_status(registry, self.new, "warm")

    def state(self, key: str) -> str:
        """Return how far a replay has come."""
        with connect(self.settings) as registry:
            return str(replays.known(registry, key)["state"])


@pytest.fixture(scope="module")
def versions(lake: SparkSession, instance: Settings) -> Iterator[Versions]:
    log = new_log(instance)
    log.load(Simulation(seed=1, rate=20, count=300))
    view = log.view(catalog.view("page_views_per_minute"))
    for build in (1, 2):
        run(lake, job_of(lake, log, replace(view, build=build)))
    lake.sql(f"UPDATE {CATALOG}.{replace(view, build=2).table} SET views = views + {MORE}")
    sinks.publish(lake, view)
    declared = catalog.describe(view) | {"app": "nobody"}
    artifact = Artifact(hash=uuid.uuid4().hex[:16], path="nowhere", manifest={view.name: declared})
    with connect(instance) as registry:
        releases.register(registry, artifact, ["nobody"])
        new = releases.add_version(registry, artifact, view.name, status="warm")["query"]
        with registry.transaction():
            serving.serve(instance, registry, view.name)
    yield Versions(settings=instance, view=view.name, old=view.query, new=new)
    with connect(instance) as registry, changing(registry):  # so that nobody tries to run them
        for query in (view.query, new):
            releases.set_status(registry, query, "retired")


def test_reader_in_a_loop_sees_old_or_new_but_never_a_mix_and_never_an_error(
    lake: SparkSession, versions: Versions
) -> None:
    def with_spark() -> frozenset[bool]:
        rows = lake.table(f"{CATALOG}.views.{versions.view}").select((F.col("views") > MORE).alias("new"))
        return frozenset(row.new for row in rows.distinct().collect())

    def with_pyiceberg() -> frozenset[bool]:
        rows = iceberg.newest_rows(versions.settings, versions.view, 1000)
        return frozenset(views > MORE for views in rows["views"].to_pylist())

    versions.make_live(versions.old)
    with reading(spark=with_spark, pyiceberg=with_pyiceberg) as readers:
        for query in (versions.new, versions.old) * 5:
            versions.make_live(query)
            readers.wait_for_a_few_reads()
    for reads in readers.seen.values():
        assert set(reads) == {frozenset([True]), frozenset([False])}


CRASHES = {
    "before anything is written": "before('UPDATE versions')",
    "after the entry of the move": "after('INSERT INTO moves')",
    "after the file of the pointer": "before('UPDATE iceberg_tables')",
    "after the pointer": "after('UPDATE iceberg_tables')",
    "between the views of both layers": "before(\"'serving'\")",
    "after the views of both layers": "before('UPDATE replays')",
    "after the end of the replay, before the commit": "after('UPDATE replays')",
    "after the commit": "glue.look_after = lambda _settings: die()",
}
CRASHING = """
import os, signal, sys
import psycopg
from headwater import glue, replay
from headwater.settings import Settings

execute = psycopg.Connection.execute

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def before(words):
    def executed(self, sql, parameters=None, **named):
        if words in f"{sql} {parameters}":
            die()
        return execute(self, sql, parameters, **named)
    psycopg.Connection.execute = executed

def after(words):
    def executed(self, sql, parameters=None, **named):
        result = execute(self, sql, parameters, **named)
        if words in f"{sql} {parameters}":
            die()
        return result
    psycopg.Connection.execute = executed

exec(sys.argv[1])
replay.promote(Settings.load(), sys.argv[2], "a test")
"""


@pytest.mark.parametrize("crash", CRASHES)
def test_promotion_that_dies_is_done_or_not_begun_and_can_be_asked_for_again(
    versions: Versions, crash: str
) -> None:
    with versions.replayed(FLAWLESS) as key:
        before = versions.moves()
        died = subprocess.run(
            [sys.executable, "-c", CRASHING, CRASHES[crash], key],
            env=os.environ | {"HEADWATER_HOME": versions.settings.home},
            check=False,
        )
        assert died.returncode == -signal.SIGKILL
        done = crash == "after the commit"
        assert versions.live() == (versions.new if done else versions.old)
        assert versions.state(key) == ("promoted" if done else "open")
        assert versions.moves() == before + done

        promote(versions.settings, key, "someone")
        assert versions.live() == versions.new
        assert versions.state(key) == "promoted"
        assert versions.moves() == before + 1


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


def test_candidate_without_a_proof_is_not_promoted(versions: Versions) -> None:
    with versions.replayed(None) as key:
        with pytest.raises(Refusal, match="has no proof yet"):
            promote(versions.settings, key, "someone")
        assert versions.live() == versions.old


FAILED = CheckResult(
    expectation="expect_column_values_to_be_between",
    arguments={"column": "views", "min_value": 1},
    severity="fail",
    success=False,
    unexpected=3,
)
LOST = PartitionLedger(
    topic="page_views", partition=0, start=0, end=100, used=99, quarantined=0, late=0, repeated=0
)
SPEAKS_AGAINST: dict[str, dict[str, Any]] = {
    "expect_column_values_to_be_between": {"checks": (FAILED,)},
    "10 of 100 rows differ from v1": {
        "difference": Difference(live="v1", budget=0.09, equal=90, different=10)
    },
    "Records lost from page_views partition 0: 1": {
        "conservation": Conservation(batches=1, partitions=(LOST,))
    },
}


@pytest.mark.parametrize("words", SPEAKS_AGAINST)
def test_candidate_whose_proof_does_not_hold_is_not_promoted_and_readers_notice_nothing(
    versions: Versions, words: str
) -> None:
    with versions.replayed(FLAWLESS.model_copy(update=SPEAKS_AGAINST[words])) as key:
        rows, moves = versions.rows(), versions.moves()
        with pytest.raises(Refusal, match=f"{versions.new} could not be promoted") as refused:
            promote(versions.settings, key, "someone")
        assert words in refused.value.detail
        assert versions.live() == versions.old
        assert (versions.rows(), versions.moves()) == (rows, moves)
        assert rows
        assert versions.state(key) == "open", "it may still be rejected, or be proved again"


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

    with versions.replayed(FLAWLESS) as key:
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
