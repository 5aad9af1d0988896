"""A view of tables on its way: rebuilt beside the live version, proved, promoted, rolled back."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from expectations import __main__ as jobs
from expectations.comparing import compare
from headwater.artifacts import Artifact
from headwater.registry import connect, releases, replays
from headwater.registry.wanted import changing
from headwater.replay import promote, rollback
from headwater.replay.proof import Proof
from spark_apps import catalog, sinks
from spark_apps.session import CATALOG
from tests.changes import OF_ORDERS, Changes
from tests.streams import Log, job_of, new_log, rows_of, run
from tests.versions import version_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from headwater.replay.proof import Difference
    from headwater.settings import Settings
    from spark_apps.view import View

    Countries = dict[str, str | None]  # by order


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    return new_log(instance, *OF_ORDERS)


@pytest.fixture(scope="module")
def changes(log: Log) -> Changes:
    return Changes(log)


@pytest.fixture(scope="module")
def live(lake: SparkSession, instance: Settings, log: Log, changes: Changes) -> Iterator[View]:
    """Return a version that readers see, and that has read the log in two batches."""
    # Of an app that nobody runs: here the test does.
    view = replace(log.view(catalog.view("order_details")), app="nobody")
    for number, person in enumerate(("ada", "ben", "eve")):
        changes.person(person, "DE")
        changes.order(number, person, pieces=2)
    changes.done()
    run(lake, job_of(lake, log, view))
    changes.person("ada", "FR")
    changes.farewell("user_changelog", "eve")
    changes.done()
    run(lake, job_of(lake, log, view))
    sinks.publish(lake, view)
    with connect(instance) as registry:
        releases.register(registry, artifact_of(view), ["nobody"])
    yield view
    with connect(instance) as registry, changing(registry):
        for version in releases.versions(registry, view.name):
            releases.set_status(registry, version["query"], "retired")


def artifact_of(view: View) -> Artifact:
    manifest = json.loads(json.dumps({view.name: catalog.describe(view)}))
    return Artifact(hash=uuid.uuid4().hex[:16], path="nowhere", manifest=manifest)


def begin_replay(settings: Settings, candidate: View) -> str:
    """Enter a version that has caught up, and its replay; return the key."""
    key = f"key-{uuid.uuid4().hex[:8]}"
    with connect(settings) as registry:
        version = releases.add_version(registry, artifact_of(candidate), candidate.name, status="candidate")
        assert version["query"] == candidate.query
        replays.enter(registry, key=key, view=candidate.name, query=candidate.query, request={}, plan={})
    return key


def prove(log: Log, candidate: View) -> Proof:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "load_topics", log.by_name)
        assert jobs.main(["prove", candidate.name, candidate.label]) == 0
    with connect(log.settings) as registry:
        return Proof.model_validate(releases.version(registry, candidate.query)["proof"])


def served(lake: SparkSession, view: View) -> Countries:
    rows = lake.table(f"{CATALOG}.views.{view.name}").select("order_id", "country").collect()
    return {row["order_id"]: row["country"] for row in rows}


def test_view_of_tables_is_rebuilt_proved_promoted_and_rolled_back(
    lake: SparkSession, instance: Settings, log: Log, changes: Changes, live: View
) -> None:
    """The candidate reads at once what the live version has read in two batches; then each goes on."""
    candidate = replace(live, build=2)
    run(lake, job_of(lake, log, candidate))
    assert rows_of(lake, live).exceptAll(rows_of(lake, candidate)).isEmpty()
    key = begin_replay(instance, candidate)
    proof = prove(log, candidate)
    assert proof.problems == []
    assert proof.difference is not None
    assert proof.difference.equal == proof.difference.compared == 3
    assert {one.topic for one in proof.conservation.partitions} == set(log.by_name())

    assert promote(instance, key, "someone").startswith(f"view {live.name} serves v2b2 now")
    changes.person("ben", "US")
    changes.done()
    run(lake, job_of(lake, log, candidate))
    now = {"order-000": "FR", "order-001": "US", "order-002": None}
    assert served(lake, live) == now
    assert rollback(instance, live.name).startswith(f"view {live.name} serves v2 again")
    assert served(lake, live) == now | {"order-001": "DE"}, "the old version has not read on"
    run(lake, job_of(lake, log, live))
    assert served(lake, live) == now


def test_all_but_the_revision_is_compared(lake: SparkSession, log: Log, live: View) -> None:
    """A changelog that was compacted gives another one: it does not tell any more of what is gone."""
    candidate = replace(live, build=3)
    run(lake, job_of(lake, log, live), job_of(lake, log, candidate))
    lake.sql(f"UPDATE {CATALOG}.{candidate.table} SET revision = revision - 1")
    assert difference(lake, log, live, candidate).different == 0
    lake.sql(f"UPDATE {CATALOG}.{candidate.table} SET plan = 'pro' WHERE order_id = 'order-000'")
    (row,) = difference(lake, log, live, candidate).samples
    assert row.keys == {"order_id": "order-000"}


def difference(lake: SparkSession, log: Log, live: View, candidate: View) -> Difference:
    sides = version_of(live), version_of(candidate)
    return compare(lake, log.settings, log.by_name(), *sides, patience=0)
