"""Let go of what a promotion has left behind.

Stops the versions that were kept warm for a rollback, lets the promoted version run in its group's app
again (on the same checkpoint, so nothing is read twice), and removes tables of retired versions after a
grace period. Afterwards a rollback is no longer a matter of seconds: it is a replay.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Param, dag, task
from telling import form, in_words, tell

from headwater import declared

FORM = {
    "view": Param(
        None,
        type=["null", "string"],
        title="View",
        enum=[None, *declared.views()],
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
    let_go(validate())


@task(retries=0)
@in_words
def validate() -> dict[str, Any]:
    """Refuse what cannot be meant."""
    from headwater.forms import Release

    return Release.check(form()).model_dump(mode="json")


@task
@in_words
def let_go(request: dict[str, Any]) -> None:
    """Stop warm versions, fold promoted ones back, retire tables."""
    from headwater.replay import release as let_versions_go
    from headwater.settings import Settings

    done = let_versions_go(Settings.load(), request["view"])
    tell("\n".join(f"- {sentence}" for sentence in done) or "There is nothing to let go.", on_run=True)


release()
