"""Give the task that asks for an approval each answer there can be, and print what came of it as JSON.

Answers come in the shape that Airflow itself gives them. When the time for an answer is over, its scheduler
takes the task's default in place of one.
"""

from __future__ import annotations

import json
import logging
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from airflow.dag_processing.dagbag import DagBag
from airflow.models.hitl import HITLDetail
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException
from airflow.sdk.execution_time.context import set_current_context
from airflow.sdk.timezone import utcnow

ADMIN = {"id": "1", "name": "admin"}


def main(folder: Path) -> None:
    sys.path.insert(0, str(folder))
    logging.disable()
    approve = DagBag(folder).dags["replay"].get_task("approve")
    answers = {
        "approved": event(["Approve"], by=ADMIN),
        "rejected": event(["Reject"], by=ADMIN),
        "no answer in time": event(approve.defaults, by=None),
    }
    found = {
        name: run(approve, partial(approve.execute_complete, event=answer))
        for name, answer in answers.items()
    }
    found["nobody is to be asked"] = run(approve, approve.execute, approval=False)
    print(json.dumps(found | {"waits": approve.response_timeout.total_seconds()}))


def event(chosen: list[str], by: dict[str, str] | None) -> dict[str, Any]:
    answered = HITLDetail(chosen_options=chosen, params_input={}, responded_by=by, responded_at=utcnow())
    return answered.as_resume_event_payload(timedout=by is None)


def run(task: Any, act: Any, *, approval: bool = True) -> dict[str, Any]:
    """Run one step of a task: say how it ended, and which words it has left for the task that cleans up."""
    left: list[str] = []
    itself = SimpleNamespace(
        dag_id="replay",
        run_id="manual",
        task_id=task.task_id,
        xcom_push=lambda *, key, value: left.append(f"{key}: {value}"),
    )
    context = {"params": {"approval": approval}, "ti": itself, "run_id": "manual", "task": task}
    with set_current_context(context):
        try:
            return {"outcome": "approved", "by": act(context)["responded_by_user"]["name"], "left": left}
        except AirflowFailException as no:
            return {"outcome": "failed for good", "words": str(no), "left": left}
        except AirflowSkipException as nobody:
            return {"outcome": "skipped", "words": str(nobody), "left": left}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
