"""How tasks speak: in their log, and as rendered text on their own page and on their run's.

The page of a task shows a *note*, which is Markdown. Whoever opens a task that was refused reads there
what happened and what to do next, without a look into the log.
"""

from __future__ import annotations

import logging
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

from airflow.sdk import get_current_context
from airflow.sdk.exceptions import AirflowFailException

if TYPE_CHECKING:
    from collections.abc import Callable

    from headwater.errors import Refusal

P = ParamSpec("P")
R = TypeVar("R")

REFUSED = "refused"  # under this name a task leaves the words in which it failed

log = logging.getLogger("headwater")


def form() -> dict[str, Any]:
    """Return what was filled in for this run."""
    return dict(get_current_context()["params"])


def key() -> str:
    """Return the name of this run. What a task has begun under it, the same task finds again when retried.

    Whoever triggers a run may name it; what Airflow would not take is refused here, too.
    """
    from headwater.forms import Run, checked

    return str(checked("run", Run)(get_current_context()["run_id"]))


def person() -> str:
    """Return who triggered this run."""
    return get_current_context()["dag_run"].triggering_user_name or "Airflow"


def tell(text: str, *, on_run: bool = False, if_long: str = "") -> None:
    """Say something (Markdown) in the log, on the task's page and, if asked, on its run's.

    A page has little room: what is too long for it can be said otherwise there.
    """
    from headwater.airflow_api import LONGEST_NOTE, airflow_of
    from headwater.errors import Refusal
    from headwater.settings import Settings

    log.info("%s", text)
    note = if_long if if_long and len(text) > LONGEST_NOTE else text
    task = get_current_context()["ti"]
    try:
        airflow = airflow_of(Settings.load())
        airflow.note_on_task(task.dag_id, task.run_id, task.task_id, note)
        if on_run:
            airflow.note_on_run(task.dag_id, task.run_id, note)
    except Refusal as refusal:  # what matters has been done, and stands in the log
        log.warning("the note could not be put on its page: %s", refusal)


def in_words(function: Callable[P, R]) -> Callable[P, R]:
    """Let a task that is refused say so on its page. It may be tried again: what was missing may be back."""

    @wraps(function)
    def spoken(*arguments: P.args, **named: P.kwargs) -> R:
        from headwater.errors import Refusal

        try:
            return function(*arguments, **named)
        except Refusal as refusal:
            leave(refusal.primary)
            tell(_markdown(refusal), on_run=True)
            raise

    return spoken


def refusing(function: Callable[P, R]) -> Callable[P, R]:
    """Let a task that looks at what a person asks for say no on its page, for good."""

    @wraps(function)
    def spoken(*arguments: P.args, **named: P.kwargs) -> R:
        from headwater.errors import Refusal

        try:
            return function(*arguments, **named)
        except Refusal as refusal:
            tell(_markdown(refusal), on_run=True)
            give_up(str(refusal))

    return spoken


def _markdown(refusal: Refusal) -> str:
    """Return a refusal as Markdown. It may quote what a person typed: links and tags in it stay text."""
    parts = (f"**{refusal.primary}**", *refusal.detail.splitlines(), refusal.hint)
    return "\n\n".join(part for part in parts if part).replace("[", "\\[").replace("<", "&lt;")


def give_up(words: str) -> NoReturn:
    """Fail at once, where trying again would change nothing and the page of the task already says why."""
    leave(words)
    raise AirflowFailException(words)


def leave(words: str) -> None:
    """Leave the words in which this task failed, for the task that cleans up after it."""
    get_current_context()["ti"].xcom_push(key=REFUSED, value=words)


def what_failed() -> str:
    """Return in words why this run failed, as far as its tasks have left any."""
    task = get_current_context()["ti"]
    states = task.get_task_states(dag_id=task.dag_id, run_ids=[task.run_id])[task.run_id]
    failed = [name for name, state in states.items() if state == "failed"]
    words = [task.xcom_pull(task_ids=name, key=REFUSED) or f"task {name} failed" for name in failed]
    return "; ".join(words) or "the run failed"
