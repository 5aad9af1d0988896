"""Let go of what a promotion has left behind.

Stops the versions that were kept warm for a rollback, lets the promoted version run in its group's app
again (on the same checkpoint, so nothing is read twice), and removes tables of retired versions after a
grace period. Afterwards a rollback is no longer a matter of seconds: it is a replay.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Param, dag, task
from telling import form, in_words, refusing, tell

from headwater import declared

FORM = {
    "views": Param(
        None,
        type=["null", "array"],
        title="Views",
        items={"type": "string", "enum": list(declared.views())},
        examples=list(declared.views()),
        uniqueItems=True,
        description_md="None chosen means all.",
    ),
}


@dag(
    doc_md=__doc__,
    schedule=None,
    max_active_runs=1,
    tags=["headwater", "views"],
    default_args={"owner": "headwater", "retries": 2, "retry_delay": timedelta(seconds=10)},
    params=FORM,
)
def release() -> None:
    """Wire the steps of letting go."""
    request: Any = validate()
    let_go(request) >> reconcile()


@task
@refusing
def validate() -> dict[str, Any]:
    """Refuse what cannot be meant."""
    from headwater.forms import Views

    return Views.check(form()).model_dump(mode="json")


@task
@in_words
def let_go(request: dict[str, Any]) -> None:
    """Stop warm versions, fold promoted ones back, retire tables."""
    from headwater.replay import release as let_versions_go
    from headwater.settings import Settings

    settings = Settings.load()
    done = [said for view in request["views"] or [None] for said in let_versions_go(settings, view)]
    tell("\n".join(f"- {sentence}" for sentence in done) or "There is nothing to let go.", on_run=True)


@task
@in_words
def reconcile() -> None:
    """Do at once what `supervise` would do within a minute."""
    from headwater import supervision
    from headwater.settings import Settings

    done = supervision.tick(Settings.load())
    tell("\n".join(f"- {step}" for step in done) or "Everything runs as it should.")


release()
