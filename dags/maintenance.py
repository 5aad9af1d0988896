"""Every night: keep the lake small and quick.

One Spark job looks at every table: small files of closed days become few, lists of files are merged,
snapshots older than three days are let go, and so are files that nobody refers to. Versions that were
retired a week ago lose their tables and checkpoints; code that nothing needs is removed. Live queries go on
meanwhile: what one of them keeps changing is left for the next night. A **dry run** only says what would be
done.
"""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import Param, dag, task
from spark_job import SparkJob
from telling import form, in_words, refusing, tell

from headwater import jobs

FORM = {
    "dry_run": Param(
        False,
        type="boolean",
        title="Dry run",
        description_md="Only say what would be done. The nightly run does it.",
    ),
}


@dag(
    doc_md=__doc__,
    schedule="30 2 * * *",
    catchup=False,
    max_active_runs=1,
    is_paused_upon_creation=True,  # `make up` resumes it when there is something to maintain
    dagrun_timeout=timedelta(hours=6),
    tags=["headwater", "lake"],
    default_args={"owner": "headwater", "retries": 1, "retry_delay": timedelta(minutes=5)},
    params=FORM,
)
def maintenance() -> None:
    """Wire the steps of maintenance."""
    maintain = SparkJob(
        task_id="maintain",
        doc_md="Maintain the lake in a Spark job.",
        conn_id="spark_jobs",
        name="maintain",
        application=str(jobs.PROGRAM),
        application_args=arguments(),
    )
    maintain >> report()


@task
@refusing
def arguments() -> list[str]:
    """Refuse what cannot be meant; tell the job whether it is a dry run."""
    from headwater.forms import Maintenance

    return ["maintain", *(["--dry-run"] if Maintenance.check(form()).dry_run else [])]


@task
@in_words
def report() -> None:
    """Say what was done."""
    from headwater import maintenance
    from headwater.settings import Settings

    run = maintenance.latest(Settings.load())
    tell(maintenance.in_markdown(run["outcomes"], dry_run=run["dry_run"]), on_run=True)


maintenance()
