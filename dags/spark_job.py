"""A bounded Spark job: by spark-submit beside Airflow, or as a run of the environment's Spark service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

if TYPE_CHECKING:
    from airflow.sdk import Context


class SparkJob(SparkSubmitOperator):
    """The provider's operator; where Spark is a service, the job runs there and is waited for here.

    A task that is tried again finds the run that it began; one that a person has cleared begins another.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._key = ""

    def execute(self, context: Context) -> None:
        """Run the job to its end."""
        from headwater import jobs
        from headwater.settings import Settings

        settings = Settings.load()
        if jobs.run_here(settings):
            super().execute(context)
        else:
            self._key = key(context)
            jobs.run(settings, *map(str, self.application_args or ()), key=self._key)

    def on_kill(self) -> None:
        """End the job."""
        from headwater import jobs
        from headwater.settings import Settings

        if self._key:
            jobs.stop(Settings.load(), str((self.application_args or [""])[0]), self._key)
        else:
            super().on_kill()


def key(context: Context) -> str:
    """Return what is the same for every try of a task, and another once somebody has cleared it.

    Tries are counted on and on, but clearing a task raises how many it has.
    """
    task = context["ti"]
    return "/".join(map(str, (task.dag_id, task.run_id, task.task_id, task.map_index, task.max_tries)))
