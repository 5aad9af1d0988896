"""Fill in the form of every DAG with hostile input, run its first task, and print what came of it as JSON.

The form is what Airflow would hand to the task if its own check had been passed by: a run can be triggered in
other ways than by the form.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from airflow.dag_processing.dagbag import DagBag
from airflow.sdk.exceptions import AirflowFailException
from airflow.sdk.execution_time.context import set_current_context

from headwater.errors import Refusal
from tests.hostile import EXAMPLES, HOSTILE, PARTNERS
from tests.watched import forbidden

if TYPE_CHECKING:
    from collections.abc import Iterator

WRONG_TYPES: list[Any] = [-7, 1e308, ["x", ["y"]], {"x": {"y": "z"}}, [[]] * 100_000]


def main(folder: Path) -> None:
    sys.path.insert(0, str(folder))
    logging.disable()
    bag = DagBag(folder)
    acts: list[str] = []
    home = Path(os.environ["AIRFLOW_HOME"])
    sys.addaudithook(lambda *told: acts.append(act) if (act := forbidden(*told, home)) else None)
    in_order = [answer for dag in bag.dags.values() for answer in filled_in_well(dag)]
    answers = [answer for dag in bag.dags.values() for answer in filled_in(dag)]
    print(json.dumps({"in_order": in_order, "answers": answers, "runs": list(named()), "acts": acts}))


def filled_in_well(dag: Any) -> Iterator[dict[str, Any]]:
    """Fill in every form as it should be, once for each choice that it offers."""
    for task, form in forms(dag):
        yield {"dag": dag.dag_id, "form": form} | run(task, form)


def filled_in(dag: Any) -> Iterator[dict[str, Any]]:
    """Put each hostile value into each field, alone and in a list; all other fields are in order."""
    for task, form in forms(dag):
        for field in form:
            for value in (*HOSTILE, *([text] for text in HOSTILE), *WRONG_TYPES, nested(900)):
                told = {"dag": dag.dag_id, "kind": form.get("kind"), "field": field}
                yield told | {"value": json.dumps(value)[:200]} | run(task, form | {field: value})


def forms(dag: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Return each first task, with a form in order for each choice: what a choice needs is filled in, too."""
    usual = {name: EXAMPLES.get(name, dag.params.get_param(name).value) for name in dag.params}
    choices = dag.params.get_param("kind").schema["enum"] if "kind" in usual else [None]
    for task in dag.tasks:
        if usual and not task.upstream_task_ids:
            yield from ((task, usual | PARTNERS.get(choice, {})) for choice in choices)


def named() -> Iterator[dict[str, Any]]:
    """Give a run each hostile name, and ask under which one its tasks keep what they begin."""
    from telling import key

    for value in HOSTILE:
        with set_current_context({"run_id": value}):
            try:
                yield {"value": value, "outcome": "accepted", "words": key()}
            except Refusal as refusal:
                yield {"value": value, "outcome": "refused", "words": str(refusal)}


def run(task: Any, form: dict[str, Any]) -> dict[str, Any]:
    """Run a task in the context that it looks at: its form, and who it is."""
    itself = SimpleNamespace(
        dag_id=task.dag_id, run_id="manual", task_id=task.task_id, xcom_push=lambda **_: None
    )
    with set_current_context({"params": form, "ti": itself, "run_id": "manual"}):
        try:
            return {"outcome": "accepted", "words": json.dumps(task.python_callable())}
        except AirflowFailException as refusal:
            return {"outcome": "refused", "words": str(refusal)}
        except Exception:
            return {"outcome": "failed", "words": traceback.format_exc()}


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


if __name__ == "__main__":
    main(Path(sys.argv[1]))
