"""The proof of a candidate, on real tables: it holds for a good one and finds what is wrong with others."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

from expectations import __main__ as jobs
from expectations import comparing, proving
from expectations.comparing import compare
from expectations.conserving import conserve
from expectations.running import data_docs
from expectations.snapshots import lineage
from headwater.artifacts import Artifact
from headwater.registry import connect, releases
from headwater.replay.proof import Proof
from headwater.shop import Simulation
from spark_apps import catalog, matching
from spark_apps.session import CATALOG
from spark_apps.view import Check
from spark_apps.views.page_views_per_minute import transform
from tests.streams import Log, job_of, new_log, rows_of, run
from tests.versions import version_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import Column, DataFrame, SparkSession

    from expectations.versions import Version
    from headwater.replay.proof import Difference
    from headwater.settings import Settings
    from spark_apps.view import View

NOW = datetime.now(UTC).replace(microsecond=0)
MESSY = {"out_of_order": 0.05, "late": 0.02, "repeated": 0.03, "wrong_clock": 0.03, "malformed": 0.02}
CORRECTED = catalog.view("page_views_per_minute")
APPENDED = catalog.view("page_views_per_minute_received")
TOO_FEW = Check(
    expectation="expect_column_values_to_be_between", arguments={"column": "views", "min_value": 2}
)


def messy(start: datetime, count: int, **changes: Any) -> Simulation:
    return Simulation(start=start, count=count, **{"seed": 3, "rate": 1.0, **MESSY, **changes})


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    """Return an hour of events, two hours ago."""
    log = new_log(instance)
    log.load(messy(NOW - timedelta(hours=2), count=3000))
    return log


@pytest.fixture(scope="module")
def live(lake: SparkSession, log: Log) -> View:
    view = log.view(CORRECTED)
    run(lake, job_of(lake, log, view))
    return view


@pytest.fixture(scope="module")
def candidate(lake: SparkSession, log: Log, live: View) -> View:
    """Return a good candidate, built in other batches than the live version."""
    view = replace(live, version=2)
    run(lake, job_of(lake, log, view), most=1700)
    return view


def prove(lake: SparkSession, log: Log, live: View, candidate: View) -> Proof:
    topics = {log.topic.name: log.topic}
    return proving.prove(lake, log.settings, topics, version_of(live), version_of(candidate))


def without_checks(lake: SparkSession, log: Log, live: View, candidate: View) -> Proof:
    """Make the two parts of a proof that need no expectations: they take the longest."""
    began = proving.began_at(lake, log.settings, version_of(candidate))
    return Proof(
        view=candidate.name,
        candidate=candidate.label,
        made_at=NOW,
        checks=(),
        difference=difference(lake, log, live, candidate),
        conservation=conserve(lineage(lake, candidate.table), began, None, {log.topic.name: log.topic}),
    )


def difference(lake: SparkSession, log: Log, live: View, candidate: View, **changes: Any) -> Difference:
    topics = {log.topic.name: log.topic}
    return compare(lake, log.settings, topics, version_of(live), version_of(candidate, **changes), patience=0)


def ends_before(moment: datetime | None) -> Column:
    return F.expr("minute_at + INTERVAL 1 MINUTE") < F.lit(moment)


def test_good_candidate_holds_and_every_row_is_compared(
    lake: SparkSession, log: Log, live: View, candidate: View
) -> None:
    made = prove(lake, log, live, candidate)
    assert made.problems == []
    assert made.warnings == []
    assert len(made.checks) == 5
    assert made.difference is not None
    assert made.difference.equal == made.difference.compared == rows_of(lake, live).count()
    assert {one.partition: one.end for one in made.conservation.partitions} == log.ends()
    assert made.conservation.batches > 1
    pages = data_docs(log.settings).glob(f"site/validations/{candidate.name}__v2/**/*.html")
    assert len(list(pages)) == 1


def test_expectation_that_fails_keeps_a_candidate_from_holding_and_a_warning_does_not(
    lake: SparkSession, log: Log, live: View, candidate: View
) -> None:
    checks = (TOO_FEW, replace(TOO_FEW, severity="warn"))
    made = prove(lake, log, live, replace(candidate, checks=checks))
    unexpected = rows_of(lake, candidate).where("views < 2").count()
    told = f"(column=views, min_value=2.0) does not hold: {unexpected:,} unexpected, such as 1"
    assert not made.holds
    assert [told in problem for problem in made.problems] == [True]
    assert [told in warning for warning in made.warnings] == [True]
    assert made.model_copy(update={"checks": made.checks[-1:]}).holds


def test_row_that_was_changed_by_hand_is_found_twice_over(lake: SparkSession, log: Log, live: View) -> None:
    """The comparison misses the row, and the ledger does not know the commit."""
    tampered = replace(live, version=3)
    run(lake, job_of(lake, log, tampered))
    gone, changed = rows_of(lake, tampered).orderBy("minute_at", "page").limit(2).collect()
    table = f"{CATALOG}.{tampered.table}"
    same = "date_format(minute_at, 'HH:mm') = :minute AND page = :page"
    for statement, row in (("DELETE FROM {}", gone), ("UPDATE {} SET views = views + 1", changed)):
        lake.sql(
            f"{statement.format(table)} WHERE {same}",
            args={"minute": f"{row.minute_at:%H:%M}", "page": row.page},
        )

    made = without_checks(lake, log, live, tampered)
    found = made.difference
    assert found is not None
    assert (found.different, found.only_live, found.only_candidate) == (1, 1, 0)
    assert found.compared == rows_of(lake, live).count()
    lost, raised = found.samples
    assert (lost.candidate, lost.keys["page"]) == (None, gone.page)
    assert raised.live is not None
    assert raised.candidate is not None
    assert int(raised.candidate["views"]) - int(raised.live["views"]) == 1
    by_hand = [str(snapshot.id) for snapshot in lineage(lake, tampered.table)[-2:]]
    assert all(any(number in problem for problem in made.problems) for number in by_hand)
    assert len(made.problems) == 3


def test_difference_is_held_against_the_budget(lake: SparkSession, log: Log, live: View) -> None:
    page = rows_of(lake, live).agg(F.mode("page")).collect()[0][0]

    def one_more(page_views: DataFrame) -> DataFrame:
        counted = transform(page_views)
        return counted.withColumn("views", F.col("views") + F.when(F.col("page") == page, 1).otherwise(0))

    changed = replace(live, version=4, transform=one_more)
    run(lake, job_of(lake, log, changed))
    made = without_checks(lake, log, live, changed)
    found = made.difference
    assert found is not None
    assert found.compared == rows_of(lake, live).count()
    assert found.different == rows_of(lake, live).where(F.col("page") == page).count()
    assert len(found.samples) == matching.SAMPLES
    assert made.problems[0].startswith(f"{found.different:,} of {found.compared:,} rows differ from v1")
    within = found.model_copy(update={"budget": found.share})
    assert made.model_copy(update={"difference": within}).holds


def test_only_windows_that_both_have_finished_are_compared(lake: SparkSession, instance: Settings) -> None:
    """A log whose partitions are days apart, of which the live version has not read everything.

        partition 0   five days ago: ●●●●●●○○○○     ○ not yet read by the live version
        partition 1                                 today: ●●●●●●

    Whoever asks for the newest record that both have read finds today, and compares what is not there.
    """
    log = new_log(instance)
    past = NOW - timedelta(days=5)
    log.load(messy(past, count=1200, partition=0, late=0))
    log.load(messy(NOW - timedelta(hours=1), count=1200, partition=1, seed=4))
    live = log.view(CORRECTED)
    run(lake, job_of(lake, log, live))
    log.load(messy(past + timedelta(minutes=20), count=1200, partition=0, seed=5, late=0))
    ahead = replace(live, version=2)
    run(lake, job_of(lake, log, ahead))

    made = without_checks(lake, log, live, ahead)
    found = made.difference
    assert found is not None
    assert found.closed_until == past + timedelta(minutes=20) - CORRECTED.lateness
    closed = rows_of(lake, live).where(ends_before(found.closed_until)).count()
    assert found.equal == found.compared == closed > 0
    assert made.holds


def test_event_that_only_one_version_has_heard_of_is_no_difference_once_both_have(
    lake: SparkSession, instance: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = new_log(instance)
    log.load(messy(NOW - timedelta(hours=2), count=1200))
    live = log.view(CORRECTED)
    run(lake, job_of(lake, log, live))
    log.load(messy(NOW - timedelta(hours=1), count=300, seed=5, late=0.5, latest=timedelta(minutes=90)))
    ahead = replace(live, version=2)
    run(lake, job_of(lake, log, ahead))
    waiting = comparing._wait_until_read

    def live_reads_on(*arguments: Any) -> None:
        run(lake, job_of(lake, log, live))
        waiting(*arguments)

    monkeypatch.setattr(comparing, "_wait_until_read", live_reads_on)
    found = difference(lake, log, live, ahead)
    assert (found.compared - found.equal, found.looks) == (0, 2)  # the first look found something
    assert found.equal > 0


def test_appended_rows_are_compared_once_both_have_written_them(lake: SparkSession, log: Log) -> None:
    """The candidate waits longer for stragglers, so it has written less of what it has read."""
    live = log.view(APPENDED)
    run(lake, job_of(lake, log, live))
    patient = replace(live, version=2, disorder=timedelta(minutes=15))
    run(lake, job_of(lake, log, patient), most=1100)
    assert rows_of(lake, patient).count() < rows_of(lake, live).count()
    found = difference(lake, log, live, patient)
    closed = rows_of(lake, live).where(ends_before(found.closed_until)).count()
    assert found.equal == found.compared == closed
    assert found.compared > rows_of(lake, patient).count() / 2


def test_rows_before_the_seam_are_not_compared(
    lake: SparkSession, log: Log, live: View, candidate: View
) -> None:
    seam = NOW - timedelta(minutes=90)
    found = difference(lake, log, live, candidate, seam_at=seam)
    assert found.closed_from == seam
    assert found.compared == rows_of(lake, live).where(F.col("minute_at") >= F.lit(seam)).count()
    assert found.before_seam == rows_of(lake, live).count() - found.compared > 0


def test_other_keys_and_types_are_not_comparable(
    lake: SparkSession, log: Log, live: View, candidate: View
) -> None:
    other_keys = difference(lake, log, live, replace(candidate, keys=("minute_at",)))
    assert other_keys.incomparable == "its keys are minute_at instead of minute_at, page"
    other_types = difference(lake, log, live, replace(candidate, schema="minute_at TIMESTAMP, page INT"))
    assert other_types.incomparable == "page is int instead of string"


@pytest.fixture
def registered(log: Log, live: View, candidate: View) -> Iterator[Version]:
    """Enter the two versions into the registry, and take them out again: nobody is to run them."""
    with connect(log.settings) as registry:
        for view, status in ((live, "live"), (candidate, "candidate")):
            manifest = json.loads(json.dumps({view.name: catalog.describe(view)}))
            artifact = Artifact(hash=f"{view.name[-8:]}{view.version:08}", path="nowhere", manifest=manifest)
            releases.add_version(registry, artifact, view.name, status=status)
        yield version_of(candidate)
        registry.execute("DELETE FROM versions WHERE view = %s", [live.name])


def test_job_stores_the_proof_with_the_version_and_prints_it(
    log: Log,
    registered: Version,
    lake: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(jobs, "load_topics", lambda: {log.topic.name: log.topic})
    assert jobs.main(["prove", registered.view, registered.label]) == 0
    with connect(log.settings) as registry:
        stored = Proof.model_validate(releases.version(registry, registered.name)["proof"])
    assert stored.holds
    assert stored.markdown() in capsys.readouterr().out


def test_job_refuses_a_version_that_is_not_there(
    lake: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    assert jobs.main(["prove", "nonsense", "v1"]) == 1
    assert 'no version "nonsense.v1"' in capsys.readouterr().err
    assert jobs.main(["prove"]) == 2
