"""Fill in the form of every DAG with hostile input, run its first task, and print what came of it as JSON.

The form is what Airflow would hand to the task if its own check had been passed by: a run can be triggered in
other ways than by the form.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from airflow.dag_processing.dagbag import DagBag
from airflow.sdk.exceptions import AirflowFailException
from airflow.sdk.execution_time.context import set_current_context

from tests.hostile import EXAMPLES, HOSTILE

if TYPE_CHECKING:
    from collections.abc import Iterator

FORBIDDEN = {"socket.connect", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"}
WRONG_TYPES: list[Any] = [7, 1e308, ["x", ["y"]], {"x": {"y": "z"}}, [[]] * 100_000]


def main(folder: Path) -> None:
    sys.path.insert(0, str(folder))
    logging.disable()
    bag = DagBag(folder)
    acts: list[str] = []
    sys.addaudithook(lambda event, _: acts.append(event) if event in FORBIDDEN else None)
    answers = [answer for dag in bag.dags.values() for answer in filled_in(dag)]
    print(json.dumps({"answers": answers, "acts": acts}))


def filled_in(dag: Any) -> Iterator[dict[str, Any]]:
    """Put each hostile value into each field, alone and in a list; all other fields are in order."""
    in_order = {name: EXAMPLES.get(name, dag.params.get_param(name).value) for name in dag.params}
    for task in dag.tasks:
        if task.upstream_task_ids or not in_order:
            continue
        for field in in_order:
            for value in (*HOSTILE, *([text] for text in HOSTILE), *WRONG_TYPES, nested(900)):
                yield {"dag": dag.dag_id, "field": field, "value": json.dumps(value)[:200]} | run(
                    task, in_order | {field: value}
                )


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
