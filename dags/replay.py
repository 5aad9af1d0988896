"""Compute a view again from the log, prove it, and only then let readers see it.

Two kinds. A **rebuild** makes a new version beside the live one: use it after a fix to a view's transform
(raise its `version` first), or to build the same version again. A **backfill** puts the windows of a stretch
of time into the live version: use it when some rows are wrong or missing and the logic is right, or to let
late events in. Fill in the form; **a dry run ends with the plan and changes nothing**, and it is the default.

1. **validate** refuses what cannot be meant; **plan** says what will be read, how long it may take and
   why it may be refused. Read it in the note of the task or of the run.
2. **build** starts the candidate as an app of its own; **catch_up** waits until it has read the log to
   its end. Readers notice nothing. A backfill is only entered: there is nothing to start, nor to wait for.
3. **prove** compares. Of a rebuild: the view's checks, the difference to the live version, every event
   accounted for. Of a backfill: the rows that would change, and the checks on them.
   **judge** ends here in words if the proof does not hold.
4. **approve** shows the proof to a person and waits. No answer within 12 hours is a no.
5. **commit** puts the rows of a backfill in place, in one commit; a rebuild has nothing left to write.
   **promote** moves readers to a rebuilt version in one step. The old one keeps running, so that `rollback`
   takes seconds; `release` lets it go.

If anything fails or is rejected, **clean_up** stops the candidate and keeps its proof; the run has failed, as
it does not come to **served**.
A task that is cleared or tried again goes on where it was; it starts nothing twice. One replay of a view
at a time.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import Param, dag, task
from approval import Approval
from spark_job import SparkJob
from telling import form, give_up, in_words, key, refusing, tell, what_failed

from headwater import declared, jobs
from headwater.bounds import OLDEST

# The registry may be away for minutes: what was approved is not given up for that, nor what failed left open.
PATIENT: dict[str, Any] = {"retries": 30, "retry_delay": timedelta(minutes=1)}
FORM = {
    "view": Param(
        type="string",
        title="View",
        enum=list(declared.views()),
        values_display={name: f"{name}: {view.summary}" for name, view in declared.views().items()},
        description_md="The view to compute again.",
    ),
    "kind": Param(
        "rebuild",
        type="string",
        title="Kind",
        enum=["rebuild", "backfill"],
        values_display={
            "rebuild": "rebuild: a new version, from the start on",
            "backfill": "backfill: the windows between start and end, into the live version",
        },
        description_md="Changed logic needs a rebuild; for wrong or missing rows a backfill will do.",
    ),
    "start": Param(
        "earliest",
        type="string",
        title="Start",
        minLength=1,
        maxLength=4000,
        description_md="*earliest*, for a rebuild; or a time with its zone, such as "
        "*2026-11-16T00:00:00+00:00*; or offsets for each partition, such as "
        '*{"0": 1200, "1": 1180, "2": 0}*.',
    ),
    "until": Param(
        None,
        type=["null", "string"],
        title="End of a backfill",
        minLength=1,
        maxLength=4000,
        description_md="Of the same kind as the start: a time, or offsets. Only windows wholly inside count.",
    ),
    "lateness": Param(
        None,
        type=["null", "integer"],
        title="Lateness of a backfill, in minutes",
        minimum=1,
        maximum=OLDEST // timedelta(minutes=1),
        description_md="Lets events in that are up to so late; as late as the view says, if left empty.",
    ),
    "artifact": Param(
        "current",
        type="string",
        title="Code",
        pattern="^(current|[0-9a-f]{16})$",
        description_md="*current* packs the code as it is now; or, for a rebuild, the 16 digits of an "
        "artifact.",
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
    request: Any = validate()
    begun: Any = build(request)
    caught_up = catch_up()
    prove = SparkJob(
        task_id="prove",
        doc_md="Compare what was computed with the live version and with the log, in a Spark job.",
        conn_id="spark_jobs",
        name="prove",
        application=str(jobs.PROGRAM),
        application_args=begun["prove_job"],
    )
    proof: Any = judge()
    approve = Approval(
        task_id="approve",
        doc_md="Show the proof to a person, and wait for a yes or a no.",
        subject=proof["question"],
        body=proof["markdown"],
        response_timeout=timedelta(hours=12),
    )
    commit = SparkJob(
        task_id="commit",
        doc_md="Put the rows of a backfill in place, in a Spark job; of a rebuild all rows are there.",
        conn_id="spark_jobs",
        name="commit",
        application=str(jobs.PROGRAM),
        application_args=begun["commit_job"],
    )
    answer: Any = approve.output
    promoted = promote(answer)
    served = EmptyOperator(
        task_id="served",
        doc_md="Reached only by a replay that readers see: Airflow takes a run for failed if one of its last "
        "tasks is, and *clean_up* succeeds.",
    )

    plan(request) >> for_real(request) >> begun >> caught_up >> prove >> proof >> approve
    approve >> for_a_backfill(request) >> commit >> promoted >> served
    [begun, caught_up, prove, proof, approve, commit, promoted] >> clean_up()


@task
@refusing
def validate() -> dict[str, Any]:
    """Refuse what cannot be meant."""
    from headwater.replay import ReplayRequest

    request = ReplayRequest.check(form())
    until = f" up to **{request.until}**" if request.until else ""
    tell(
        f"The form is in order: {request.kind} of **{request.view}** from **{request.start}**{until}, code "
        f"**{request.artifact}**."
    )
    return request.model_dump(mode="json")


@task
@refusing
def plan(request: dict[str, Any]) -> None:
    """Say what will be read, how long it may take, and why it may be refused."""
    from headwater.replay import ReplayRequest
    from headwater.replay import plan as make_plan
    from headwater.settings import Settings

    planned = make_plan(Settings.load(), ReplayRequest.check(request))
    tell(planned.markdown(), on_run=True, if_long=planned.summary())
    if planned.refusals:
        give_up(" ".join(planned.refusals))


@task.short_circuit
def for_real(request: dict[str, Any]) -> bool:
    """End a dry run here."""
    return not request["dry_run"]


@task
@in_words
def build(request: dict[str, Any]) -> dict[str, list[str]]:
    """Enter the replay and start what it needs, once, however often this is called."""
    from headwater.replay import ReplayRequest, begin
    from headwater.settings import Settings

    begun = begin(Settings.load(), ReplayRequest.check(request), key())
    tell(f"A {begun.kind} of `{begun.query}` has begun.")
    return {"prove_job": begun.prove_job, "commit_job": begun.commit_job}


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
def judge() -> dict[str, str]:
    """Read the proof; end here if it does not hold."""
    from headwater.errors import Refusal
    from headwater.replay import proof_of
    from headwater.settings import Settings

    proof = proof_of(Settings.load(), key())
    if proof is None:
        raise Refusal("there is no proof", hint="Clear task prove: it makes one.")
    tell(proof.markdown(), on_run=True)
    if not proof.holds:
        give_up(" ".join(proof.problems))
    return {"question": proof.question, "markdown": proof.markdown()}


@task.short_circuit(trigger_rule="none_failed", ignore_downstream_trigger_rules=False)
def for_a_backfill(request: dict[str, Any]) -> bool:
    """Pass over the commit of a rebuild: its rows are all there."""
    return bool(request["kind"] == "backfill")


@task(trigger_rule="none_failed", **PATIENT)
@refusing
def promote(answer: dict[str, Any] | None) -> None:
    """Move readers to what a rebuild has made; say what a backfill has changed."""
    from headwater.replay import promote as move_readers
    from headwater.settings import Settings

    by = answer["responded_by_user"]["name"] if answer else "nobody: the form asked for no approval"
    tell(move_readers(Settings.load(), key(), approved_by=by), on_run=True)


@task(trigger_rule="one_failed", **PATIENT)
@in_words
def clean_up() -> None:
    """End a replay that failed or was rejected, and stop its candidate; its proof stays."""
    from headwater.replay import reject, status
    from headwater.settings import Settings

    settings = Settings.load()
    begun = any(replay["key"] == key() for replay in status(settings))
    tell(reject(settings, key(), because=what_failed()) if begun else "Nothing was begun.")


replay()
