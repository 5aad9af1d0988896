"""Let the readers of a view see the version before: seconds, not minutes.

The version before has kept running since the promotion, so it is as fresh as the one it replaces. If it
has been released meanwhile, this says so, and names the artifact from which `replay` builds it again.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Param, dag, task
from telling import form, in_words, person, refusing, tell

from headwater import declared

FORM = {
    "view": Param(
        type="string", title="View", enum=list(declared.views()), description_md="The view that goes back."
    ),
    "version": Param(
        None,
        type=["null", "string"],
        title="Version",
        pattern="^v[1-9][0-9]*(b[1-9][0-9]*)?$",
        description_md="The version to go back to, like *v1* or *v1b2*. Empty means the one before.",
    ),
}


@dag(
    doc_md=__doc__,
    schedule=None,
    max_active_runs=4,
    tags=["headwater", "views"],
    default_args={"owner": "headwater", "retries": 2, "retry_delay": timedelta(seconds=5)},
    params=FORM,
)
def rollback() -> None:
    """Wire the steps of going back."""
    request: Any = validate()
    go_back(request)


@task
@refusing
def validate() -> dict[str, Any]:
    """Refuse what cannot be meant."""
    from headwater.forms import Rollback

    return Rollback.check(form()).model_dump(mode="json")


@task
@in_words
def go_back(request: dict[str, Any]) -> None:
    """Move readers to the version before."""
    from headwater.replay import rollback as move_readers_back
    from headwater.settings import Settings

    tell(move_readers_back(Settings.load(), request["view"], request["version"], by=person()), on_run=True)


rollback()
