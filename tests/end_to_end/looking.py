"""Looking at Airflow through its own interface, and waiting for what is to come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tests.waiting import wait_for

if TYPE_CHECKING:
    from headwater.airflow_api import Airflow


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


def wait_for_task(airflow: Airflow, dag: str, run: str, task: str, *states: str) -> None:
    """Wait until a task is in one of these states; a run that has failed never comes to it, and says why."""

    def has_come() -> bool:
        if task_of(airflow, dag, run, task)["state"] in states:
            return True
        seen = run_of(airflow, dag, run)
        assert seen["state"] != "failed", seen["note"]
        return False

    wait_for(f"{task} of {dag}", has_come)


def wait_for_run(airflow: Airflow, dag: str, run: str, state: str) -> None:
    """Wait for the end of a run, and say what its tasks had to say if it is another than expected."""
    wait_for(f"the end of {dag}", lambda: run_of(airflow, dag, run)["state"] in ("success", "failed"))
    ended = run_of(airflow, dag, run)
    assert ended["state"] == state, ended["note"]
