"""Every night: compute closed days of the views once more, from the cold log, and serve them.

One Spark job computes each day that nothing can change any more by the same transform, compares it with what
the streaming query has written, and then serves it: `serving.<view>` has the batch layer's rows for these
days and the speed layer's for all others. Rows that differ are told here; beyond the view's budget they raise
an **alarm**. A day that is not closed yet is left for the next night. By hand, choose any **day**: it is
computed even if it was before. Views of tables have no days, and are not in the batch layer.
"""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import Param, dag, task
from spark_job import SparkJob
from telling import form, in_words, refusing, tell

from headwater import declared, jobs

FORM = {
    "views": Param(
        None,
        type=["null", "array"],
        title="Views",
        items={"type": "string", "enum": list(declared.views())},
        examples=list(declared.views()),
        uniqueItems=True,
        description_md="None chosen means all that have days.",
    ),
    "day": Param(
        None,
        type=["null", "string"],
        title="Day",
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        description_md="In UTC, such as `2026-11-16`. None means all days that are closed and not held yet.",
    ),
}


@dag(
    doc_md=__doc__,
    schedule="30 1 * * *",
    catchup=False,
    max_active_runs=1,
    is_paused_upon_creation=True,  # `make up` resumes it when there is something to compute
    dagrun_timeout=timedelta(hours=6),
    tags=["headwater", "views"],
    default_args={"owner": "headwater", "retries": 1, "retry_delay": timedelta(minutes=5)},
    params=FORM,
)
def batch_layer() -> None:
    """Wire the steps of a night."""
    compute = SparkJob(
        task_id="compute",
        doc_md="Compute and serve closed days in a Spark job.",
        conn_id="spark_jobs",
        name="batch layer",
        application=str(jobs.PROGRAM),
        application_args=arguments(),
    )
    compute >> report()


@task
@refusing
def arguments() -> list[str]:
    """Refuse what cannot be meant; name day and views for the job."""
    from headwater.forms import BatchRun

    asked = BatchRun.check(form())
    return ["batch", asked.day.isoformat() if asked.day else "due", *(asked.views or ())]


@task
@in_words
def report() -> None:
    """Say what came of each day, and refuse the run if some could not be computed."""
    from headwater import batch_layer
    from headwater.settings import Settings

    outcomes, words = batch_layer.latest(Settings.load())
    tell(words, on_run=True)
    batch_layer.refuse_what_failed(outcomes)


batch_layer()
