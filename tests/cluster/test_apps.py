"""A streaming app on the cluster: deployed once, stopped on purpose, and alive through kill -9 of any part.

After each blow the rows are compared with the batch engine over the whole log: nothing lost, nothing twice.
Supervision looks on all the while, as it does every minute in Airflow.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import traceback
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from py4j.protocol import Py4JJavaError

from headwater import apps, jobs, offsets, supervision
from headwater.airflow_api import Airflow
from headwater.brokers import admin_client
from headwater.engines import Standalone, Submission
from headwater.errors import Refusal
from headwater.registry import apps as rows
from headwater.registry import connect, releases
from headwater.shop import Simulation, simulate
from spark_apps import catalog, kafka_log
from tests.cluster.looking import APP, driver_of, has_read_everything, process, program
from tests.end_to_end.looking import trigger, wait_for_run
from tests.fixed_code import VIEW, change, copy_code
from tests.places import PLACES, app_pages, secrets_in, with_other_secrets
from tests.streams import Log, assert_up_to_date, compare
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from headwater.settings import Settings

VICTIMS: dict[str, Callable[[Settings], int]] = {
    "the driver's JVM": lambda settings: process(settings, "DriverWrapper"),
    "the driver's Python": lambda settings: process(settings, "artifacts", "stream", APP),
    "the executor": lambda settings: process(settings, "CoarseGrainedExecutorBackend"),
    "the Spark worker": lambda settings: program(settings, "spark-worker-1"),
    "the Spark master": lambda settings: program(settings, "spark-master"),
    "the broker": lambda settings: program(settings, "kafka-1"),
}
VIEWS = ("page_views",)
OF_APP = [view for view in catalog.views().values() if view.app == APP]
SEEDS = {victim: seed for seed, victim in enumerate(VICTIMS, 100)}
# What supervision may have to do about it; most of it Spark and the app can do by themselves.
EXPECTED = {
    "the Spark worker": {"adopt", "alarm", "submit"},
    "the Spark master": {"alarm", "adopt", "submit"},
}


@pytest.mark.parametrize("victim", VICTIMS)
def test_rows_are_exact_after_kill_9_of(
    lake: SparkSession,
    instance: Settings,
    app: str,
    log: Log,
    victim: str,
) -> None:
    visits = Simulation(
        streams=VIEWS, seed=SEEDS[victim], rate=60, count=600, out_of_order=0.05, repeated=0.05
    )
    customers = threading.Thread(target=lambda: simulate(instance, visits, report=lambda _: None))
    before = sum(log.ends().values())
    customers.start()
    wait_for("customers", lambda: sum(log.ends().values()) > before + 100)
    os.kill(VICTIMS[victim](instance), signal.SIGKILL)
    done: set[str] = set()

    def recovered() -> bool:
        done.update(step.action for step in supervision.tick(instance))
        return not customers.is_alive() and has_read_everything(log)

    wait_for(f"reading on after the death of {victim}", recovered)
    assert done <= EXPECTED.get(victim, set())
    for view in OF_APP:
        # A window that the last batch has closed is written by the batch after it.
        wait_for("the last windows", lambda v=view: not (last := compare(lake, log, v)).missing or last.wrong)
        assert_up_to_date(lake, log, view)


def test_offsets_are_published_as_a_consumer_group(instance: Settings, app: str, log: Log) -> None:
    simulate(instance, Simulation(streams=VIEWS, seed=200, rate=200, count=100), report=lambda _: None)
    wait_for("reading", lambda: has_read_everything(log))
    with admin_client(instance, "apps") as client:
        for view in OF_APP:
            assert offsets.published(client, view.consumer_group) == {log.topic.name: log.ends()}


def test_command_line_shows_the_app_and_its_rows(instance: Settings, app: str) -> None:
    """What a person sees first: `headwater status`, then `headwater views show`."""
    command = [sys.executable, "-m", "headwater.cli"]
    status = subprocess.run([*command, "status"], capture_output=True, text=True, check=True)
    assert "page_views_per_minute.v1" in status.stdout
    assert "cold_log" in status.stdout
    view = [*command, "views", "show", "page_views_per_minute", "--rows", "3"]
    shown = subprocess.run(view, capture_output=True, text=True, check=True)
    assert len(shown.stdout.splitlines()) == 4
    assert "revision" in shown.stdout


def test_pages_of_an_app_hide_its_passwords(instance: Settings, app: str) -> None:
    pages = app_pages(instance)
    environment = next(text for page, text in pages.items() if page.endswith("/environment"))
    assert '[ "spark.sql.catalog.lake.jdbc.password", "*********(redacted)" ]' in environment
    assert secrets_in(instance, pages) == []


@pytest.fixture(scope="module")
def planned(instance: Settings, deployed: str) -> str:
    """Let Airflow plan a replay: its tasks are given a form, leave a request and write a log."""
    airflow = Airflow(instance)
    run = trigger(airflow, "replay", view="page_views_per_minute")
    wait_for_run(airflow, "replay", run, "success", "failed")
    return run


@pytest.mark.parametrize("place", PLACES)
def test_no_secret_is_told_while_an_app_runs_by(
    instance: Settings, app: str, planned: str, place: str
) -> None:
    """By then every part has died and come back, and said so in its log."""
    sought = must_be_read(instance, planned)
    texts = PLACES[place](instance)
    assert any(texts.values())
    for beginning in sought.get(place, []):
        assert any(path.startswith(beginning) for path in texts), f"{beginning} was not looked at"
    assert secrets_in(instance, texts) == []


def must_be_read(instance: Settings, run: str) -> dict[str, list[str]]:
    """Return what proves that a place was really looked at: processes of the app, tasks that have run."""
    of_app = [process(instance, word) for word in ("CoarseGrainedExecutorBackend", "DriverWrapper")]
    tasks = f"dags/replay/dagRuns/{quote(run, safe='')}/taskInstances"
    return {
        "processes": [f"/proc/{pid}/environ" for pid in of_app],
        "Airflow": [f"{tasks}/plan", f"{tasks}/plan/logs/", f"{tasks}/validate/xcomEntries/return_value"],
    }


def test_trace_of_what_fails_in_spark_hides_the_password(
    lake: SparkSession, instance: Settings, tmp_path: Path
) -> None:
    mistaken = with_other_secrets(instance, tmp_path)
    with pytest.raises(Py4JJavaError) as failed:
        kafka_log.read_range(lake, mistaken, "page_views", {0: 0}, {0: 1}).count()
    told = {"trace": "".join(traceback.format_exception(failed.value))}
    assert "SaslAuthenticationException" in told["trace"]
    assert secrets_in(mistaken, told) == []
    assert secrets_in(instance, told) == []


def test_last_words_of_a_job_that_fails_hide_its_passwords(
    instance: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Refusal, match='there is no replay "nonsense"') as failed:
        jobs.run(instance, "prove-backfill", "nonsense")
    said = capfd.readouterr()
    assert secrets_in(instance, {"refusal": str(failed.value), "output": said.out + said.err}) == []


def test_deploying_twice_starts_no_second_driver(instance: Settings, app: str) -> None:
    before = driver_of(instance)
    said: list[str] = []
    assert apps.deploy(instance, [APP], report=said.append) == []
    assert "already runs" in said[-1]
    assert driver_of(instance) == before


def test_code_that_cannot_be_deployed_is_refused_before_anything_is_changed(
    instance: Settings, app: str, tmp_path: Path
) -> None:
    apps.check(instance, [APP])
    with pytest.raises(Refusal, match='there is no app "nonsense"'):
        apps.check(instance, ["nonsense"])
    before, source = known_code(instance), copy_code(tmp_path)
    change(source / f"spark_apps/views/{VIEW}.py", r"F\.count\(F\.lit\(1\)\)", "F.count(F.lit(2))")
    with pytest.raises(Refusal, match=f'view "{VIEW}" has changed, but its version has not'):
        apps.check(instance, [APP], source)
    assert known_code(instance) == before


def known_code(settings: Settings) -> set[str]:
    with connect(settings) as registry:
        return {row["hash"] for row in registry.execute("SELECT hash FROM artifacts")}


def test_second_driver_takes_over_and_the_first_ends_for_good(instance: Settings, app: str) -> None:
    engine = Standalone(instance)
    first = driver_of(instance)
    with connect(instance) as registry:
        known = rows.app(registry, APP)
        assert known is not None
        artifact = releases.artifact(registry, known["artifact"])
    arguments = ("stream", APP, artifact.hash)
    second = engine.submit(Submission(name=APP, artifact=artifact.path, arguments=arguments))
    wait_for("the second driver", lambda: driver_of(instance) == second)
    wait_for("the end of the first", lambda: engine.state(first) == "FINISHED")
    assert engine.running(second)
    assert [step.action for step in supervision.tick(instance, [APP])] == ["adopt"]


def test_stopped_app_ends_well_and_stays_stopped_until_deployed_again(
    instance: Settings, app: str, log: Log
) -> None:
    engine = Standalone(instance)
    driver = driver_of(instance)
    apps.stop(instance, [APP])
    assert engine.state(driver) == "FINISHED"
    assert supervision.tick(instance, [APP]) == []
    simulate(instance, Simulation(streams=VIEWS, seed=300, rate=200, count=100), report=lambda _: None)
    assert not has_read_everything(log)
    assert apps.deploy(instance, [APP]) == [APP]
    wait_for("catching up", lambda: has_read_everything(log))
