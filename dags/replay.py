"""Rebuild a view from the log beside the live version, prove it, and only then let readers see it.

Use it after a fix to a view's transform (raise its `version` first), or to build the same version again.
Fill in the form; **a dry run ends with the plan and changes nothing**, and it is the default.

1. **validate** refuses what cannot be meant; **plan** says what will be read, how long it may take and
   why it may be refused. Read it in the note of the task or of the run.
2. **build** starts the candidate as an app of its own; **catch_up** waits until it has read the log to
   its end. Readers notice nothing.
3. **prove** compares: the view's checks, the difference to the live version, every event accounted for.
   **judge** ends here in words if the proof does not hold.
4. **approve** shows the proof to a person and waits. No answer within 12 hours is a no.
5. **promote** moves readers over in one step. The old version keeps running, so that `rollback` takes
   seconds; `release` lets it go.

If anything fails or is rejected, **clean_up** stops the candidate and keeps its proof.
A task that is cleared or tried again goes on where it was; it starts nothing twice. One replay of a view
at a time.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Param, dag, task
from approval import Approval
from spark_job import SparkJob
from telling import form, give_up, in_words, key, refusing, tell, what_failed

from headwater import declared, jobs

FORM = {
    "view": Param(
        type="string",
        title="View",
        enum=list(declared.views()),
        values_display={name: f"{name}: {view.summary}" for name, view in declared.views().items()},
        description_md="The view to build anew.",
    ),
    "start": Param(
        "earliest",
        type="string",
        title="Start",
        minLength=1,
        maxLength=4000,
        description_md="*earliest*; or a time with its zone, such as *2026-11-16T00:00:00+00:00*; or offsets "
        'for each partition, such as *{"0": 1200, "1": 1180, "2": 0}*.',
    ),
    "artifact": Param(
        "current",
        type="string",
        title="Code",
        pattern="^(current|[0-9a-f]{16})$",
        description_md="*current* packs the code as it is now; or the 16 digits of an artifact.",
    ),
    "dry_run": Param(
        True, type="boolean", title="Dry run", description_md="End with the plan; change nothing."
    ),
    "approval": Param(
        True,
        type="boolean",
        title="Approval",
        description_md="Ask a person, with the proof, before readers see it.",
    ),
}


@dag(
    doc_md=__doc__,
    schedule=None,
    max_active_runs=4,
    tags=["headwater", "views"],
    default_args={"owner": "headwater", "retries": 3, "retry_delay": timedelta(seconds=10)},
    params=FORM,
)
def replay() -> None:
    """Wire the steps of a replay."""
    request = validate()
    candidate = build(request)
    caught_up = catch_up()
    prove = SparkJob(
        task_id="prove",
        doc_md="Compare the candidate with the live version and with the log, in a Spark job.",
        conn_id="spark_jobs",
        name="prove",
        application=str(jobs.PROGRAM),
        application_args=["prove", candidate["view"], candidate["label"]],
    )
    proof = judge(candidate)
    approve = Approval(
        task_id="approve",
        doc_md="Show the proof to a person, and wait for a yes or a no.",
        subject=proof["question"],
        body=proof["markdown"],
        response_timeout=timedelta(hours=12),
    )
    promoted = promote(approve.output)

    plan(request) >> for_real(request) >> candidate >> caught_up >> prove >> proof >> approve >> promoted
    [candidate, caught_up, prove, proof, approve, promoted] >> clean_up()


@task
@refusing
def validate() -> dict[str, Any]:
    """Refuse what cannot be meant."""
    from headwater.replay import ReplayRequest

    request = ReplayRequest.check(form())
    tell(f"The form is in order: **{request.view}** from **{request.start}**, code **{request.artifact}**.")
    return request.model_dump(mode="json")


@task
@refusing
def plan(request: dict[str, Any]) -> None:
    """Say what will be read, how long it may take, and why it may be refused."""
    from headwater.replay import ReplayRequest
    from headwater.replay import plan as make_plan
    from headwater.settings import Settings

    planned = make_plan(Settings.load(), ReplayRequest.check(request))
    tell(planned.markdown(), on_run=True)
    if planned.refusals:
        give_up(" ".join(planned.refusals))


@task.short_circuit
def for_real(request: dict[str, Any]) -> bool:
    """End a dry run here."""
    return not request["dry_run"]


@task
@in_words
def build(request: dict[str, Any]) -> dict[str, str]:
    """Start the candidate, once, however often this is called."""
    from headwater.replay import ReplayRequest, begin
    from headwater.settings import Settings

    begun = begin(Settings.load(), ReplayRequest.check(request), key())
    tell(f"The candidate is `{begun.query}`.")
    return {"view": begun.view, "label": begun.query.rpartition(".")[2]}


@task.sensor(poke_interval=15, mode="reschedule", timeout=timedelta(days=2).total_seconds())
@in_words
def catch_up() -> bool:
    """Wait until the candidate has read the log to its end; say how far it is."""
    from headwater.replay import progress
    from headwater.settings import Settings

    so_far = progress(Settings.load(), key())
    tell(str(so_far))
    return so_far.caught_up


@task
@in_words
def judge(candidate: dict[str, str]) -> dict[str, str]:
    """Read the proof; refuse a candidate for which it does not hold."""
    from headwater.errors import Refusal
    from headwater.replay import proof_of
    from headwater.settings import Settings

    proof = proof_of(Settings.load(), key())
    if proof is None:
        raise Refusal("there is no proof", hint="Clear task prove: it makes one.")
    tell(proof.markdown(), on_run=True)
    if not proof.holds:
        give_up(" ".join(proof.problems))
    question = f"Shall readers of {candidate['view']} see {candidate['label']}?"
    return {"question": question, "markdown": proof.markdown()}


@task(trigger_rule="none_failed")
@in_words
def promote(answer: dict[str, Any] | None) -> None:
    """Move readers to the candidate."""
    from headwater.replay import promote as move_readers
    from headwater.settings import Settings

    by = answer["responded_by_user"]["name"] if answer else "nobody: the form asked for no approval"
    tell(move_readers(Settings.load(), key(), approved_by=by), on_run=True)


@task(trigger_rule="one_failed")
@in_words
def clean_up() -> None:
    """Stop the candidate of a replay that failed or was rejected; its proof stays."""
    from headwater.replay import reject, status
    from headwater.settings import Settings

    settings = Settings.load()
    begun = any(replay["key"] == key() for replay in status(settings))
    tell(reject(settings, key(), because=what_failed()) if begun else "Nothing was begun.")


replay()
