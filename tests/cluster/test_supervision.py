"""What supervision does on the real cluster; every case of its decisions is in tests/unit/supervision."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headwater import alarms, apps, supervision
from headwater.engines import Standalone, Submission, standalone
from headwater.local import daemon
from headwater.registry import apps as rows
from headwater.registry import connect, releases
from headwater.registry.wanted import changing
from headwater.supervision import deciding
from tests.alerts import alerts_about
from tests.cluster.looking import APP, driver_of, process, program
from tests.fixed_code import VIEW, change, copy_code, fix_view, pack
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings


def test_driver_that_is_gone_is_started_again(instance: Settings, app: str) -> None:
    """Killed by hand through the master, so Spark itself does not start it again."""
    engine, before = Standalone(instance), driver_of(instance)
    engine.kill(before)
    wait_for("the end of the driver", lambda: not engine.running(before))
    assert [step.action for step in supervision.tick(instance, [APP])] == ["submit"]
    apps.wait_until_alive(instance, APP)
    assert driver_of(instance) != before
    assert supervision.tick(instance, [APP]) == []


def test_driver_that_hangs_is_replaced(instance: Settings, app: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "SILENT", timedelta(seconds=20))
    before = driver_of(instance)
    for pid in (process(instance, "DriverWrapper"), process(instance, "artifacts", "stream", APP)):
        os.kill(pid, signal.SIGSTOP)
    done: list[supervision.Done] = []

    def replaced() -> bool:
        done.extend(supervision.tick(instance, [APP]))
        return bool(done) and driver_of(instance) != before

    wait_for("another driver", replaced)
    assert done[0].action == "restart"
    assert "no sign of life" in done[0].reason
    apps.wait_until_alive(instance, APP)


class Died(Exception):
    """Whoever was at work is gone."""


def test_submission_that_nobody_wrote_down_is_adopted_not_repeated(
    instance: Settings, app: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task dies when the cluster has taken the driver, and before the registry knows it."""

    def die(*_: object) -> None:
        raise Died

    engine, before = Standalone(instance), driver_of(instance)
    engine.kill(before)
    wait_for("the end of the driver", lambda: not engine.running(before))
    there = engine.drivers()
    monkeypatch.setattr(rows, "submitted", die)
    with pytest.raises(Died):
        supervision.tick(instance, [APP])
    monkeypatch.undo()
    assert supervision.tick(instance, [APP]) == []
    apps.wait_until_alive(instance, APP)
    assert engine.drivers() - there == {driver_of(instance)}
    assert [step.action for step in supervision.tick(instance, [APP])] == ["adopt"]
    assert supervision.tick(instance, [APP]) == []


@contextmanager
def wanted(settings: Settings, source: Path, pattern: str, trouble: str) -> Iterator[str]:
    """Want a version whose driver comes no further than to a line of the stream's code."""
    fix_view(copy_code(source), version=9)
    change(source / "spark_apps/stream.py", pattern, f"{trouble}\n{pattern}")
    artifact = pack(settings, source)
    with connect(settings) as registry, changing(registry):
        query = releases.add_version(registry, releases.artifact(registry, artifact), VIEW)["query"]
    yield query
    with connect(settings) as registry, changing(registry):
        releases.set_status(registry, query, "retired")
    supervision.bring_about(settings, [query])


@pytest.fixture
def failing_app(instance: Settings, app: str, tmp_path: Path) -> Iterator[str]:
    """Want a version whose driver fails as soon as it has taken its lease."""
    with wanted(
        instance, tmp_path, "        spark = session.start", "        raise OSError('no luck')"
    ) as query:
        yield query


@pytest.fixture
def lifeless_app(instance: Settings, app: str, tmp_path: Path) -> Iterator[str]:
    """Want a version whose driver does not even come to take its lease."""
    with wanted(instance, tmp_path, "import itertools", "raise ImportError('no luck')") as query:
        yield query


def test_crash_loop_is_broken_told_and_resumed_by_a_person(instance: Settings, failing_app: str) -> None:
    done: list[supervision.Done] = []

    def given_up() -> bool:
        done.extend(supervision.tick(instance, [failing_app]))
        return done[-1].action == "give up"

    wait_for("the end of the crash loop", given_up)
    assert "restarted 3 times" in done[-1].reason
    with connect(instance) as registry:
        (alarm,) = [alarm for alarm in alarms.open_alarms(registry) if alarm["subject"] == failing_app]
    assert (alarm["kind"], alarm["runbook"]) == ("crash loop", "docs/runbooks/crash-loop.md")
    told = alerts_about(instance, failing_app)
    assert [(alert["state"], alert["message"]) for alert in told] == [("raised", done[-1].reason)]

    engine, driver = Standalone(instance), driver_of(instance, failing_app)
    wait_for("the end of its driver", lambda: not engine.running(driver))
    assert supervision.tick(instance, [failing_app]) == []

    with connect(instance) as registry:
        rows.want(registry, failing_app, "running")
    assert [step.action for step in supervision.tick(instance, [failing_app])] == ["submit"]
    assert [alert["state"] for alert in alerts_about(instance, failing_app)] == ["raised", "cleared"]


def test_driver_that_never_takes_its_lease_is_given_up_after_three_starts(
    instance: Settings, lifeless_app: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark would start it again for ever, and call it running."""
    monkeypatch.setattr(deciding, "STARTING", timedelta(seconds=5))
    done: list[supervision.Done] = []

    def given_up() -> bool:
        done.extend(supervision.tick(instance, [lifeless_app]))
        return done[-1].action == "give up"

    wait_for("the end of the crash loop", given_up)
    assert [step.action for step in done] == ["submit", "restart", "restart", "give up"]
    assert done[-1].reason == "it was started 3 times, and gave no sign of life"
    assert [alert["kind"] for alert in alerts_about(instance, lifeless_app)] == ["crash loop"]
    engine = Standalone(instance)
    with connect(instance) as registry:
        row = rows.app(registry, lifeless_app)
    assert row is not None
    wait_for("the end of its driver", lambda: not engine.running(row["submission"]))


def test_master_that_does_not_answer_is_told_until_it_does(
    instance: Settings, app: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standalone, "TIMEOUT_SECONDS", 1)
    before, master = driver_of(instance), program(instance, "spark-master")
    os.kill(master, signal.SIGSTOP)
    try:
        (told,) = supervision.tick(instance, [APP])
    finally:
        os.kill(master, signal.SIGCONT)
    assert (told.app, told.action, told.runbook) == ("spark", "alarm", "docs/runbooks/no-master.md")
    assert open_alarms(instance, "spark") == ["no master"]
    assert alerts_about(instance, "spark")[-1]["state"] == "raised"

    monkeypatch.undo()
    assert supervision.tick(instance, [APP]) == []
    assert open_alarms(instance, "spark") == []
    assert alerts_about(instance, "spark")[-1]["state"] == "cleared"
    assert driver_of(instance) == before


def test_workers_that_are_gone_are_told_until_one_is_back(instance: Settings, app: str) -> None:
    engine, before = Standalone(instance), driver_of(instance)
    with without_worker(instance):
        wait_for("the master to notice", lambda: engine.workers() == 0)
        (told,) = supervision.tick(instance, [APP])
        assert (told.action, told.runbook) == ("alarm", "docs/runbooks/no-workers.md")
        assert open_alarms(instance, APP) == ["no workers"]
        assert alerts_about(instance, APP)[-1]["state"] == "raised"
        assert supervision.tick(instance, [APP]) == [told]
        waiting = engine.submit(Submission(name="nobody", artifact="nowhere", arguments=()))
        assert (engine.running(waiting), engine.queued(waiting)) == (True, True)
        engine.kill(waiting)

    done: list[supervision.Done] = []

    def back() -> bool:
        if engine.workers():
            done.extend(supervision.tick(instance, [APP]))
        return driver_of(instance) != before and not open_alarms(instance, APP)

    wait_for("a worker and the driver", back)
    assert {step.action for step in done} <= {"adopt", "submit"}
    assert alerts_about(instance, APP)[-1]["state"] == "cleared"


def open_alarms(settings: Settings, subject: str) -> list[str]:
    with connect(settings) as registry:
        return [alarm["kind"] for alarm in alarms.open_alarms(registry) if alarm["subject"] == subject]


@contextmanager
def without_worker(settings: Settings) -> Iterator[None]:
    """Stop the only worker, and see to it that the supervisor of the instance does not start it at once."""
    home = Path(settings.home)
    daemon._call(home, "supervisor.stopProcess", "spark:spark-worker-1")
    try:
        yield
    finally:
        daemon.start_stopped_programs(home, "spark")
