"""Give the task that asks for an approval each answer there can be, and print what came of it as JSON.

Answers come in the shape that Airflow itself gives them. When the time for an answer is over, its scheduler
takes the task's default in place of one. A task that is tried again looks first at what Airflow remembers.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from airflow.dag_processing.dagbag import DagBag
from airflow.models.hitl import HITLDetail
from airflow.providers.standard.operators import hitl
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException, TaskAwaitingInput
from airflow.sdk.execution_time.context import set_current_context
from airflow.sdk.timezone import utcnow

from headwater import airflow_api
from headwater.errors import Refusal
from headwater.settings import Settings

ADMIN = {"id": "1", "name": "admin"}
QUESTION = {"subject": "Shall readers see v2?", "body": "### The proof holds"}
OTHER = QUESTION | {"body": "### The proof holds\n\nmade later"}
FIRST, SECOND, FIRST_SINCE_CLEARED = (1, 3), (2, 3), (3, 5)  # a try, and how many there may be


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
    approve.subject, approve.body = QUESTION["subject"], QUESTION["body"]
    yes, no = remembered(["Approve"]), remembered(["Reject"])
    for name, remembers, tried in (
        ("first try", RememberingAirflow(), FIRST),
        ("approved, tried again", RememberingAirflow(yes), SECOND),
        ("rejected, tried again", RememberingAirflow(no), SECOND),
        ("not answered, tried again", RememberingAirflow(), SECOND),
        ("other question approved, tried again", RememberingAirflow(yes | OTHER), SECOND),
        ("approved, cleared", RememberingAirflow(yes), FIRST_SINCE_CLEARED),
        ("Airflow is away, tried again", RememberingAirflow(away=True), SECOND),
    ):
        found[name] = remembers.run(approve, tried)
    print(json.dumps(found | {"waits": approve.response_timeout.total_seconds()}))


class RememberingAirflow(airflow_api.Airflow):
    """An Airflow that remembers what a person has answered to this task, and notes when it asks."""

    def __init__(self, *answers: dict[str, Any], away: bool = False) -> None:
        self.remembered, self.away, self.asked = answers, away, 0

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        if self.away:
            raise Refusal("Airflow did not answer")
        if method == "GET":
            assert path == "dags/replay/dagRuns/manual/hitlDetails?task_id=approve&response_received=true"
            return {"hitl_details": list(self.remembered)}
        return {}

    def ask(self, **_: Any) -> None:
        self.asked += 1

    def run(self, approve: Any, tried: tuple[int, int]) -> dict[str, Any]:
        """Run the task from its beginning in this Airflow."""
        Settings.load = classmethod(lambda _: None)  # type: ignore[method-assign,assignment]
        airflow_api.airflow_of = lambda _: self
        hitl.upsert_hitl_detail = self.ask
        return run(approve, approve.execute, tried=tried) | {"asked": self.asked}


def remembered(chosen: list[str]) -> dict[str, Any]:
    """Return an answer as Airflow's interface tells it."""
    at = datetime(2026, 1, 5, 12, tzinfo=UTC).isoformat().replace("+00:00", "Z")
    return QUESTION | {
        "chosen_options": chosen,
        "params_input": {},
        "responded_at": at,
        "responded_by_user": ADMIN,
    }


def event(chosen: list[str], by: dict[str, str] | None) -> dict[str, Any]:
    answered = HITLDetail(chosen_options=chosen, params_input={}, responded_by=by, responded_at=utcnow())
    return answered.as_resume_event_payload(timedout=by is None)


def run(task: Any, act: Any, *, approval: bool = True, tried: tuple[int, int] = FIRST) -> dict[str, Any]:
    """Run one step of a task: say how it ended, and which words it has left for the task that cleans up."""
    left: list[str] = []
    itself = SimpleNamespace(
        dag_id="replay",
        run_id="manual",
        task_id=task.task_id,
        id="an id",
        try_number=tried[0],
        max_tries=tried[1],
        xcom_push=lambda *, key, value: left.append(f"{key}: {value}"),
    )
    context = {"params": {"approval": approval}, "run_id": "manual", "task": task}
    context |= {"ti": itself, "task_instance": itself}
    with set_current_context(context):
        try:
            return {"outcome": "approved", "by": act(context)["responded_by_user"]["name"], "left": left}
        except AirflowFailException as no:
            return {"outcome": "failed for good", "words": str(no), "left": left}
        except TaskAwaitingInput:
            return {"outcome": "waits", "left": left}
        except AirflowSkipException as nobody:
            return {"outcome": "skipped", "words": str(nobody), "left": left}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
