"""Every minute: compare what should run with what runs, and put right what differs.

One short task looks at the Spark master, the heartbeats of the apps and the ends of the log, decides, and
acts: a dead or stuck driver is started again, a relaunched one is adopted, an app that should not run or
runs what it should not is stopped. An app that keeps failing is stopped with
an **alarm** and waits for a person. So does a capture that can no longer read what the database has let go;
one that merely failed is started again. A query that Kafka's retention is about to overtake is an alarm, too,
while there is time. On AWS the copy of the catalog in Glue is renewed. What was done stands in the note of
the task; a minute in which nothing had to be done has none.

Nothing runs *in* Airflow: if Airflow dies, the apps go on, and the next tick sees what has happened
meanwhile.
"""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import dag, task
from telling import in_words, tell


@dag(
    doc_md=__doc__,
    schedule="* * * * *",
    catchup=False,
    max_active_runs=1,
    dagrun_timeout=timedelta(minutes=10),
    is_paused_upon_creation=True,  # `make up` resumes it when there is something to look after
    tags=["headwater", "apps"],
    default_args={"owner": "headwater", "retries": 0},  # the next minute is the retry
)
def supervise() -> None:
    """Wire the only step."""
    tick()


@task
@in_words
def tick() -> None:
    """Look, decide, act, and say what was done."""
    from headwater import supervision
    from headwater.settings import Settings

    if done := supervision.look_after_everything(Settings.load()):
        tell("\n".join(f"- {step}" for step in done), on_run=True)


supervise()
