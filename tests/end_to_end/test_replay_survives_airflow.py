"""Airflow dies in the middle of a replay, part by part: the replay goes on, and nothing is started twice."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headwater import replay
from headwater.local import processes
from headwater.registry import connect, releases
from tests.cluster.looking import program
from tests.end_to_end.looking import task_of, trigger, wait_for_answer, wait_for_run, wait_for_task
from tests.fixed_code import VIEW

if TYPE_CHECKING:
    from headwater.airflow_api import Airflow
    from headwater.settings import Settings

WAITING = ("running", "up_for_reschedule")


@pytest.mark.timeout(2400)
def test_replay_finishes_after_kill_9_of_scheduler_dag_processor_and_task(
    busy_shop: Settings, airflow: Airflow
) -> None:
    before = queries(busy_shop)
    run = trigger(airflow, "replay", view=VIEW, dry_run=False, approval=False)
    wait_for_task(airflow, "replay", run, "catch_up", *WAITING)
    for name in ("airflow-scheduler", "airflow-dag-processor"):
        os.kill(program(busy_shop, name), signal.SIGKILL)
    wait_for_answer("a task to kill", lambda: kill_task(busy_shop, airflow, run, "prove"))
    wait_for_run(airflow, "replay", run, "success")
    assert task_of(airflow, "replay", run, "prove")["try_number"] > 1
    (candidate,) = queries(busy_shop) - before
    (ended,) = [one for one in replay.status(busy_shop, VIEW) if one["key"] == run]
    assert (ended["query"], ended["state"]) == (candidate, "promoted")


def queries(settings: Settings) -> set[str]:
    with connect(settings) as registry:
        return {version["query"] for version in releases.versions(registry, VIEW)}


def kill_task(settings: Settings, airflow: Airflow, run: str, task: str) -> bool:
    """Kill the process of a task, once there is one; its title is the id of the task's instance."""
    title = f"airflow worker -- {task_of(airflow, 'replay', run, task)['id']}"
    for pid in processes.processes_of_instance(Path(settings.home)):
        with suppress(OSError):
            if Path(f"/proc/{pid}/cmdline").read_text().startswith(title):
                os.kill(pid, signal.SIGKILL)
                return True
    return False
