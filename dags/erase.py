"""Erase a person: destroy their key, remove what was never sealed, and prove it.

What is personal is sealed with a key of its person's own before anybody stores it, so destroying that key
makes it unreadable everywhere at once, in topics, views, their history and checkpoints. Then the person's
rows are deleted, tombstones are written, quarantined records, late events and reports that hold their words
are removed, and every file of the instance is looked through. **This cannot be undone.** A run that fails at
the proof has erased the person all the same: something is still on its way out, and running it again later
goes on where it was.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Param, dag, task
from telling import form, in_words, person, refusing, tell

FORM = {
    "person": Param(
        type="string",
        title="Person",
        pattern="^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$",
        description_md="The id of the person, like *user-0001*; never their name.",
    ),
    "reason": Param(
        type="string",
        title="Reason",
        minLength=1,
        maxLength=200,
        description_md="Why, for the record. It is kept: **name nobody in it**.",
    ),
}


@dag(
    doc_md=__doc__,
    schedule=None,
    max_active_runs=1,
    tags=["headwater", "people"],
    default_args={"owner": "headwater", "retries": 2, "retry_delay": timedelta(seconds=30)},
    params=FORM,
)
def erase() -> None:
    """Wire the steps of an erasure."""
    request: Any = validate()
    destroy_key(request) >> delete_rows(request) >> clean(request) >> prove(request)


@task
@refusing
def validate() -> dict[str, Any]:
    """Refuse what cannot be meant."""
    from headwater.forms import Erasure

    return Erasure.check(form()).model_dump(mode="json")


@task
@in_words
def destroy_key(request: dict[str, Any]) -> None:
    """Write down what to look for, and destroy the person's key."""
    from headwater import erasure
    from headwater.forms import Erasure
    from headwater.settings import Settings

    tell(erasure.begin(Settings.load(), Erasure.check(request), by=person()))


@task
@in_words
def delete_rows(request: dict[str, Any]) -> None:
    """Delete the person's rows in the shop's database, and write tombstones."""
    from headwater import erasure
    from headwater.settings import Settings

    tell(erasure.forget(Settings.load(), request["person"]))


@task
@in_words
def clean(request: dict[str, Any]) -> None:
    """Remove what was never sealed: quarantined records, late events, reports."""
    from headwater import erasure
    from headwater.settings import Settings

    tell(erasure.clean(Settings.load(), request["person"]))


@task
@in_words
def prove(request: dict[str, Any]) -> None:
    """Look through every file of the instance, until nothing of the person is found."""
    from headwater import erasure
    from headwater.settings import Settings

    proof = erasure.prove(Settings.load(), request["person"])
    tell(f"**{request['person']} is erased.** {proof}.", on_run=True)


erase()
