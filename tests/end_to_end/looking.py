"""Looking at Airflow through its own interface, and waiting for what is to come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from headwater.errors import Refusal
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from headwater.airflow_api import Airflow

SILENT = "Airflow did not answer"


def trigger(airflow: Airflow, dag: str, **fields: Any) -> str:
    """Start a run without the form, and return its name."""
    started = airflow.call("POST", f"dags/{dag}/dagRuns", {"logical_date": None, "conf": fields})
    return str(started["dag_run_id"])


def run_of(airflow: Airflow, dag: str, run: str) -> dict[str, Any]:
    return airflow.call("GET", f"dags/{dag}/dagRuns/{quote(run)}")


def notes_of_runs(airflow: Airflow, dag: str) -> list[str]:
    """Return what the runs of a DAG have said, those that had something to say, newest first."""
    runs = airflow.call("GET", f"dags/{dag}/dagRuns?order_by=-run_after")["dag_runs"]
    return [run["note"] for run in runs if run["note"]]


def task_of(airflow: Airflow, dag: str, run: str, task: str) -> dict[str, Any]:
    return airflow.call("GET", f"dags/{dag}/dagRuns/{quote(run)}/taskInstances/{task}")


def wait_for_answer(what: str, condition: Callable[[], object]) -> None:
    """Wait for something that Airflow is asked for; on a busy machine it may not answer in time."""

    def answered() -> object:
        try:
            return condition()
        except Refusal as refusal:
            if refusal.primary != SILENT:
                raise
            return False

    wait_for(what, answered)


def wait_for_task(airflow: Airflow, dag: str, run: str, task: str, *states: str) -> None:
    """Wait until a task is in one of these states; a run that has failed never comes to it, and says why."""

    def has_come() -> bool:
        if task_of(airflow, dag, run, task)["state"] in states:
            return True
        seen = run_of(airflow, dag, run)
        assert seen["state"] != "failed", seen["note"]
        return False

    wait_for_answer(f"{task} of {dag}", has_come)


def wait_for_run(airflow: Airflow, dag: str, run: str, *states: str) -> None:
    """Wait for the end of a run, and say what its tasks had to say if it is another than expected."""
    ended: dict[str, Any] = {}

    def has_ended() -> bool:
        ended.update(run_of(airflow, dag, run))
        return ended["state"] in ("success", "failed")

    wait_for_answer(f"the end of {dag}", has_ended)
    assert ended["state"] in states, ended["note"]
