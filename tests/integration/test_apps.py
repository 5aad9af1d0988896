"""A streaming app on the cluster: deployed once, stopped on purpose, and alive through kill -9 of any part.

After each blow the rows are compared with the batch engine over the whole log: nothing lost, nothing twice.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.testing import assertDataFrameEqual

from headwater import apps, offsets
from headwater.brokers import admin_client
from headwater.engines import Standalone, Submission
from headwater.local.parts import observe
from headwater.registry import apps as rows
from headwater.registry import connect, heartbeats, releases
from headwater.shop import Simulation, simulate
from headwater.topics import load_topics
from spark_apps import catalog
from tests.streams import Log, oracle, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

    from headwater.settings import Settings

APP = "traffic"
PATIENCE_SECONDS = 240


@pytest.fixture(scope="module")
def app(instance: Settings) -> Iterator[str]:
    apps.deploy(instance, [APP])
    apps.wait_until_alive(instance, APP)
    yield APP
    apps.stop(instance, [APP])


@pytest.fixture
def log(instance: Settings) -> Log:
    return Log(settings=instance, topic=load_topics()["page_views"])


def wait_for(what: str, condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {PATIENCE_SECONDS} s"
        time.sleep(0.2)


def has_read_everything(log: Log) -> bool:
    """Say whether every query of the app has read what the log holds now."""
    with connect(log.settings) as registry:
        beats = heartbeats.all_heartbeats(registry)
    ends = {str(partition): end for partition, end in log.ends().items()}
    reached = [(beat["offsets"] or {}).get(log.topic.name) for beat in beats if beat["app"] == APP]
    return bool(reached) and all(offsets == ends for offsets in reached)


def driver_of(settings: Settings) -> str:
    with connect(settings) as registry:
        app = rows.app(registry, APP)
    assert app is not None
    return str(app["driver"])


def process(settings: Settings, *words: str) -> int:
    """Return the process of this instance whose command line has all these words."""
    found = [
        int(folder.name)
        for folder in Path("/proc").iterdir()
        if folder.name.isdigit() and all(word in _command(folder) for word in (*words, settings.home))
    ]
    assert found, f"no process has {words} on its command line"
    return found[0]


def _command(folder: Path) -> str:
    try:
        return (folder / "cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def program(settings: Settings, name: str) -> int:
    (pid,) = [status.pid for status in observe(settings) if status.name == name]
    assert pid is not None
    return pid


VICTIMS: dict[str, Callable[[Settings], int]] = {
    "the driver's JVM": lambda settings: process(settings, "DriverWrapper"),
    "the driver's Python": lambda settings: process(settings, "artifacts", "stream", APP),
    "the executor": lambda settings: process(settings, "CoarseGrainedExecutorBackend"),
    "the Spark worker": lambda settings: program(settings, "spark-worker-1"),
    "the Spark master": lambda settings: program(settings, "spark-master"),
    "the broker": lambda settings: program(settings, "kafka-1"),
}
SEEDS = {victim: seed for seed, victim in enumerate(VICTIMS, 100)}


@pytest.mark.parametrize("victim", VICTIMS)
def test_rows_are_exact_after_kill_9_of(
    lake: SparkSession, instance: Settings, app: str, log: Log, victim: str
) -> None:
    visits = Simulation(seed=SEEDS[victim], rate=60, count=600, out_of_order=0.05, repeated=0.05)
    customers = threading.Thread(target=lambda: simulate(instance, visits, report=lambda _: None))
    before = sum(log.ends().values())
    customers.start()
    wait_for("customers", lambda: sum(log.ends().values()) > before + 100)
    os.kill(VICTIMS[victim](instance), signal.SIGKILL)
    customers.join()
    wait_for(f"reading on after the death of {victim}", lambda: has_read_everything(log))
    for view in catalog.views_of(APP):
        assertDataFrameEqual(rows_of(lake, view), oracle(lake, log, view))


def test_offsets_are_published_as_a_consumer_group(instance: Settings, app: str, log: Log) -> None:
    simulate(instance, Simulation(seed=200, rate=200, count=100), report=lambda _: None)
    wait_for("reading", lambda: has_read_everything(log))
    with admin_client(instance, "apps") as client:
        for view in catalog.views_of(APP):
            assert offsets.published(client, view.consumer_group) == {log.topic.name: log.ends()}


def test_command_line_shows_the_app_and_its_rows(instance: Settings, app: str) -> None:
    """What a person sees first: `headwater status`, then `headwater views show`."""
    command = [sys.executable, "-m", "headwater.cli"]
    status = subprocess.run([*command, "status"], capture_output=True, text=True, check=True)
    assert "page_views_per_minute.v1" in status.stdout
    assert "quarantine.page_views" in status.stdout
    view = [*command, "views", "show", "page_views_per_minute", "--rows", "3"]
    shown = subprocess.run(view, capture_output=True, text=True, check=True)
    assert len(shown.stdout.splitlines()) == 4
    assert "revision" in shown.stdout


def test_deploying_twice_starts_no_second_driver(instance: Settings, app: str) -> None:
    before = driver_of(instance)
    said: list[str] = []
    assert apps.deploy(instance, [APP], report=said.append) == []
    assert "already runs" in said[-1]
    assert driver_of(instance) == before


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


def test_stopped_app_ends_well_and_stays_stopped_until_deployed_again(
    instance: Settings, app: str, log: Log
) -> None:
    engine = Standalone(instance)
    driver = driver_of(instance)
    apps.stop(instance, [APP])
    assert engine.state(driver) == "FINISHED"
    simulate(instance, Simulation(seed=300, rate=200, count=100), report=lambda _: None)
    assert not has_read_everything(log)
    assert apps.deploy(instance, [APP]) == [APP]
    wait_for("catching up", lambda: has_read_everything(log))
