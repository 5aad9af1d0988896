"""What all tests share: an instance of the platform that is theirs alone."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xdist.scheduler import LoadScopeScheduling

from headwater import apps
from headwater.local import platform
from headwater.local.steps import STEPS
from headwater.registry import connect
from headwater.topics import load_topics
from spark_apps.session import HASTE
from tests.cluster.looking import APP
from tests.spark_fixture import QUICK_START, ROOMY, platform_spark
from tests.streams import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession
    from xdist.remote import Producer

    from headwater.settings import Settings

# Each of the processes that share the tests among them has an instance of its own.
TEST_INSTANCE = "-".join(
    filter(None, [os.environ.get("HEADWATER_TEST_INSTANCE", "test"), os.environ.get("PYTEST_XDIST_WORKER")])
)
KEEP = bool(os.environ.get("HEADWATER_KEEP"))
WITH_APPS = ("cluster", "end_to_end")
SLOWEST = 15
STEPS_FOR_TESTS = ("topics", "registry", "capture")  # tests start apps and simulators themselves


class Groups(LoadScopeScheduling):
    """Gives one process the tests of a file, and all of those that share the started apps."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "apps" if Path(file).parent.name in WITH_APPS else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Groups:
    """Share out tests by our own rule: marks for groups are not seen with this version of pytest."""
    return Groups(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which files took the time: what many tests share is made by the first of them."""
    spent: dict[str, float] = defaultdict(float)
    for report in chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            spent[report.nodeid.partition("::")[0]] += report.duration
    terminalreporter.section("seconds by file")
    for file, seconds in sorted(spent.items(), key=lambda item: -item[1])[:SLOWEST]:
        terminalreporter.write_line(f"{seconds:>6.0f}  {file}")


@pytest.fixture(autouse=True, scope="session")
def _own_instance() -> Iterator[None]:
    """Point everything at the tests' instance, so that no test can touch a running platform."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEADWATER_INSTANCE", TEST_INSTANCE)
        variables = ("HEADWATER_HOME", "HEADWATER_ENVIRONMENT", "HEADWATER_PORT_BASE")
        for variable in (*variables, "TF_VAR_brokers", "TF_VAR_workers"):
            patch.delenv(variable, raising=False)
        # Executors that live for a minute are not worth compiling well for, either; nobody has time to wait
        # until it is somebody's turn to look for news; and the cluster has room for four small apps.
        for_tests = {
            "spark.executor.extraJavaOptions": QUICK_START,
            "spark.driver.memory": "896m",
            "spark.executor.memory": "1152m",
            HASTE: "3",
        }
        patch.setenv("TF_VAR_app_properties", json.dumps(for_tests))
        yield


@pytest.fixture(scope="session")
def instance(_own_instance: None) -> Iterator[Settings]:
    """Start an instance through the same path as `make up`, from clean data; remove it afterwards.

    HEADWATER_KEEP=1 keeps it running, data and all, and takes it up again the next time.
    """
    if not KEEP:
        platform.clean()
    yield platform.up(steps=[step for step in STEPS if step[0] in STEPS_FOR_TESTS])
    if not KEEP:
        platform.clean()


@pytest.fixture(scope="session")
def lake(instance: Settings) -> Iterator[SparkSession]:
    with platform_spark(instance, "tests", memory="3500m", options=f"{QUICK_START} {ROOMY}") as spark:
        yield spark


@pytest.fixture(scope="session")
def deployed(instance: Settings) -> Iterator[str]:
    apps.deploy(instance, [APP])
    apps.wait_until_alive(instance, APP)
    yield APP
    apps.stop(instance)


@pytest.fixture
def app(instance: Settings, deployed: str) -> str:
    """Make sure that the app runs, whatever the test before has done to it: its deaths are forgotten."""
    with connect(instance) as registry:
        registry.execute("DELETE FROM starts WHERE app = %s", [APP])
        registry.execute("DELETE FROM actions WHERE app = %s", [APP])
    apps.deploy(instance, [APP], report=lambda _: None)
    apps.wait_until_alive(instance, APP)
    return deployed


@pytest.fixture
def log(instance: Settings) -> Log:
    return Log(settings=instance, topics={"page_views": load_topics()["page_views"]})
