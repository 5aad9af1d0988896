"""A backfill as a replay, without Airflow: planned, proved, put in place once, and told."""

from __future__ import annotations

import json
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from kafka import TopicPartition
from pyspark.sql import functions as F

from expectations import __main__ as jobs
from expectations.snapshots import lineage
from headwater import replay
from headwater.artifacts import Artifact
from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.registry import connect, releases, replays
from headwater.replay import ReplayRequest
from headwater.replay.backfill_plan import plan_with
from headwater.replay.backfill_proof import BackfillProof, Outcome
from headwater.shop import Simulation
from spark_apps import catalog, pipeline
from spark_apps.session import CATALOG
from spark_apps.view import Check
from tests.streams import job_of, new_log, oracle, own_cold_log, rows_of, run, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from headwater.replay.backfill_plan import BackfillPlan
    from headwater.settings import Settings
    from spark_apps.view import View
    from tests.streams import Log

VIEWS = catalog.views()
START = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(hours=4)
HOUR = timedelta(hours=1)
WRONG = 999
IMPOSSIBLE = Check(
    expectation="expect_column_values_to_be_between", arguments={"column": "views", "max_value": 0}
)


@pytest.fixture(scope="module")
def log(instance: Settings) -> Iterator[Log]:
    """Return two hours of page views, four hours ago."""
    log = new_log(instance)
    log.load(visits(START, seed=1))
    with own_cold_log(log):
        yield log


def visits(start: datetime, seed: int, **changes: Any) -> Simulation:
    messy = {"rate": 0.5, "count": 3600, "out_of_order": 0.1, "repeated": 0.05, "late": 0.02}
    return Simulation(seed=seed, start=start, latest=HOUR, **messy | changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """A version that is live, and known to the registry."""

    log: Log
    view: View
    artifact: Artifact

    def wish(self, start: str, until: str, lateness: int | None = None) -> ReplayRequest:
        """Return a request for this view, which no form would know."""
        return ReplayRequest.model_construct(
            view=self.view.name,
            kind="backfill",
            start=start,
            until=until,
            lateness=lateness,
            artifact=self.artifact.hash,
        )

    def hour(self, after: timedelta = timedelta(minutes=30)) -> ReplayRequest:
        """Return a request for an hour of the log."""
        return self.wish((START + after).isoformat(), (START + after + HOUR).isoformat())

    def plan(self, request: ReplayRequest, artifact: Artifact | None = None) -> BackfillPlan:
        with connect(self.log.settings) as registry:
            return plan_with(self.log.settings, registry, request, artifact or self.artifact)

    def replayed(self, key: str) -> dict[str, Any]:
        with connect(self.log.settings) as registry:
            return replays.known(registry, key)


@contextmanager
def as_live(lake: SparkSession, log: Log, view: View) -> Iterator[Live]:
    """Let a version read the log and be the live one; take it out again: nobody is to run it."""
    run(lake, job_of(lake, log, view))
    manifest = json.loads(json.dumps({view.name: catalog.describe(view)}))
    artifact = Artifact(hash=f"{view.name[-8:]}{view.version:08}", path="nowhere", manifest=manifest)
    with connect(log.settings) as registry, pytest.MonkeyPatch.context() as patch:
        releases.add_version(registry, artifact, view.name, status="live")
        patch.setattr(jobs, "load_topics", log.by_name)
        patch.setattr(catalog, "views", lambda: VIEWS | {view.name: view})
        yield Live(log=log, view=view, artifact=artifact)
        registry.execute("DELETE FROM replays WHERE view = %s", [view.name])
        registry.execute("DELETE FROM versions WHERE view = %s", [view.name])


@pytest.fixture(scope="module")
def live(lake: SparkSession, log: Log) -> Iterator[Live]:
    with as_live(lake, log, log.view(catalog.view("page_views_per_minute"))) as found:
        yield found


@pytest.fixture
def key(log: Log) -> Iterator[str]:
    """Return the key of a replay, which is over when the test is."""
    key = f"test-{uuid.uuid4().hex[:8]}"
    yield key
    with connect(log.settings) as registry:
        replays.close(registry, key, "rejected", "the test is over")


def damage(lake: SparkSession, live: Live) -> None:
    lake.sql(f"UPDATE {CATALOG}.{live.view.table} SET views = {WRONG} WHERE views > 1")


def wrong_rows(lake: SparkSession, live: Live) -> int:
    return rows_of(lake, live.view).where(f"views = {WRONG}").count()


def test_plan_says_what_is_read_and_replaced(live: Live) -> None:
    plan = live.plan(live.hour())
    assert plan.refusals == ()
    assert plan.between.first == START + timedelta(minutes=30)
    # The look-back lies before, and corrections may come for two days.
    assert 0 < plan.events < sum(live.log.ends().values())
    assert plan.size > 0
    assert "**May run.**" in plan.markdown()


@pytest.mark.parametrize("name", ["page_views_per_minute", "user_sessions"])
def test_offsets_mean_the_windows_whose_records_all_lie_between_them(
    lake: SparkSession, log: Log, live: Live, name: str
) -> None:
    view = replace(catalog.view(name), name=live.view.name, inputs=live.view.inputs)
    ends = log.ends()
    first = {partition: end // 5 for partition, end in ends.items()}
    after = {partition: end * 4 // 5 for partition, end in ends.items()}
    described = json.loads(json.dumps({view.name: catalog.describe(view)}))
    artifact = replace(live.artifact, manifest=described)
    plan = live.plan(live.wish(as_offsets(first), as_offsets(after)), artifact)
    on_time = replace(view, late="ignore", repeats="keep")
    events = pipeline.batch_events(whole(lake, log, log.topic.name), log.topic, on_time)
    between = plan.between
    time = F.col("event_time")
    inside = events.where((time >= F.lit(between.first)) & (time < F.lit(between.after))).collect()
    assert len(inside) > 300
    assert all(first[row.partition] <= row.offset < after[row.partition] for row in inside)


def as_offsets(offsets: dict[int, int]) -> str:
    return json.dumps({str(partition): offset for partition, offset in offsets.items()})


def test_what_cannot_be_backfilled_is_refused(live: Live) -> None:
    now = datetime.now(UTC)
    (still_open,) = live.plan(live.wish((now - HOUR).isoformat(), now.isoformat())).refusals
    assert "Windows are closed up to" in still_open
    (too_short,) = live.plan(
        live.wish((START + HOUR).isoformat(), (START + HOUR + timedelta(seconds=59)).isoformat())
    ).refusals
    assert "No window of 0:01:00 lies wholly inside." in too_short
    (far,) = live.plan(live.wish("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z")).refusals
    assert "Windows are closed up to" in far
    changed = {live.view.name: live.artifact.manifest[live.view.name] | {"fingerprint": "another"}}
    (logic,) = live.plan(live.hour(), replace(live.artifact, manifest=changed)).refusals
    assert "Changed logic is a rebuild." in logic
    tables = {live.view.name: live.artifact.manifest[live.view.name] | {"inputs": []}}
    with pytest.raises(Refusal, match="has no windows to backfill"):
        live.plan(live.hour(), replace(live.artifact, manifest=tables))
    ends = live.log.ends()
    beyond = as_offsets({partition: end + 1 for partition, end in ends.items()})
    refusals = live.plan(live.wish(as_offsets(dict.fromkeys(ends, 0)), beyond)).refusals
    assert "does not exist yet" in refusals[0]


def test_lateness_of_its_own_changes_nothing_for_a_view_that_corrects_its_rows(live: Live) -> None:
    plan = live.plan(live.hour().model_copy(update={"lateness": 120}))
    assert not plan.admits
    assert "A lateness of 120 min changes nothing" in plan.markdown()


def test_backfill_is_begun_proved_put_in_place_and_told_once(
    lake: SparkSession, live: Live, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    settings, right = live.log.settings, set(rows_of(lake, live.view).collect())
    damage(lake, live)
    damaged = wrong_rows(lake, live)
    begun = replay.begin(settings, live.hour(), key)
    assert replay.begin(settings, live.hour(), key) == begun  # as a task that is retried asks
    assert (begun.kind, begun.query) == ("backfill", live.view.query)
    with pytest.raises(Refusal, match="cannot be backfilled like this"):
        replay.begin(settings, live.hour(), "another")
    assert replay.progress(settings, key).caught_up
    assert jobs.main(begun.commit_job) == 1, "nothing is put in place without a proof"

    assert jobs.main(begun.prove_job) == 0
    proof = replay.proof_of(settings, key)
    assert isinstance(proof, BackfillProof)
    assert proof.markdown().partition("####")[0] in capsys.readouterr().out
    assert proof.holds
    assert 10 < proof.changed < damaged
    assert len(proof.checks) == 5
    assert wrong_rows(lake, live) == damaged, "a proof changes nothing"
    with pytest.raises(Refusal, match="are not in place yet"):
        replay.promote(settings, key, "ada")

    assert jobs.main(begun.commit_job) == 0
    assert f"{proof.changed} changed, as proved" in capsys.readouterr().out
    commits = len(lineage(lake, live.view.table))
    assert jobs.main(begun.commit_job) == 0
    assert len(lineage(lake, live.view.table)) == commits, "it finds its own commit"
    assert wrong_rows(lake, live) == damaged - proof.changed
    assert set(rows_of(lake, live.view).where(f"views <> {WRONG}").collect()) <= right

    said = replay.promote(settings, key, "ada")
    assert replay.promote(settings, key, "ada") == said
    ended = live.replayed(key)
    assert (ended["state"], ended["because"]) == ("promoted", "by ada")
    assert Outcome.model_validate(ended["outcome"]).changed == proof.changed
    assert "promoted before" in replay.reject(settings, key, "regret")


def test_rows_that_were_corrected_after_the_proof_are_told(
    lake: SparkSession, log: Log, live: Live, key: str
) -> None:
    begun = replay.begin(log.settings, live.hour(), key)
    damage(lake, live)
    assert jobs.main(begun.prove_job) == 0
    log.load(visits(START + timedelta(hours=2), seed=2, count=600, late=0.2))
    run(lake, job_of(lake, log, live.view))  # late events of the hour correct what was damaged
    assert jobs.main(begun.commit_job) == 0
    said = replay.promote(log.settings, key, "ada")
    assert "as proved: the live query has read further since" in said
    right = oracle(lake, log, live.view)
    inside = F.col("minute_at").between(
        F.lit(START + timedelta(minutes=30)), F.lit(START + timedelta(minutes=89))
    )
    assert set(rows_of(lake, live.view).where(inside).collect()) == set(right.where(inside).collect())


def test_backfill_that_is_rejected_changes_nothing(lake: SparkSession, live: Live, key: str) -> None:
    settings = live.log.settings
    begun = replay.begin(settings, live.hour(), key)
    before = lineage(lake, live.view.table)
    assert "is rejected: no need" in replay.reject(settings, key, "no need")
    assert jobs.main(begun.commit_job) == 1
    assert lineage(lake, live.view.table) == before
    with connect(settings) as registry:
        assert releases.live_version(registry, live.view.name)["query"] == live.view.query


def test_check_that_fails_stops_a_backfill(lake: SparkSession, log: Log, key: str) -> None:
    view = replace(log.view(catalog.view("page_views_per_minute")), checks=(IMPOSSIBLE,))
    with as_live(lake, log, view) as live:
        begun = replay.begin(log.settings, live.hour(), key)
        assert jobs.main(begun.prove_job) == 0
        proof = replay.proof_of(log.settings, key)
        assert proof is not None
        assert not proof.holds
        assert jobs.main(begun.commit_job) == 1


def test_records_that_neither_log_holds_are_refused(log: Log, live: Live) -> None:
    """Last: what is deleted is gone."""
    with admin_client(log.settings, "admin") as admin:
        admin.delete_records({TopicPartition(log.topic.name, partition): 200 for partition in log.ends()})
    (refusal,) = live.plan(live.hour(timedelta(0))).refusals
    assert "Neither Kafka nor the cold log holds all records: windows are whole from" in refusal
    assert live.plan(live.hour(timedelta(minutes=50))).refusals == ()
