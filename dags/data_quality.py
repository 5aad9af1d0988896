"""Every hour: check the rows of every live view.

One Spark job runs the view's own expectations, and looks at its freshness, its volume against the recent
past, and the shares of quarantined and late events. Results are kept as history in an Iceberg table and
as Data Docs. A check of severity `fail` that does not hold raises an **alarm**; a `warn` is shown and no
more.
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
        description_md="None chosen means all.",
    ),
}


@dag(
    doc_md=__doc__,
    schedule="@hourly",
    catchup=False,
    max_active_runs=1,
    is_paused_upon_creation=True,  # `make up` resumes it when there is something to check
    dagrun_timeout=timedelta(minutes=50),
    tags=["headwater", "views"],
    default_args={"owner": "headwater", "retries": 1, "retry_delay": timedelta(seconds=30)},
    params=FORM,
)
def data_quality() -> None:
    """Wire the steps of a check."""
    check = SparkJob(
        task_id="check",
        doc_md="Check the views in a Spark job.",
        conn_id="spark_jobs",
        name="check",
        application=str(jobs.PROGRAM),
        application_args=arguments(),
    )
    check >> report()


@task
@refusing
def arguments() -> list[str]:
    """Refuse what cannot be meant; name the views for the job."""
    from headwater.forms import Views

    return ["check", *(Views.check(form()).views or ())]


@task
@in_words
def report() -> None:
    """Say what was found."""
    from headwater import quality
    from headwater.settings import Settings

    tell(quality.in_markdown(quality.latest_results(Settings.load())), on_run=True)


data_quality()
