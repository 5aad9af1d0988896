"""Run the task of a Spark job, try after try, where moto plays AWS, and print what was started as JSON."""

from __future__ import annotations

import json
import os
import sys
import uuid
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from airflow.sdk.execution_time.task_runner import RuntimeTaskInstance
from moto import mock_aws
from moto.emrserverless import models

from tests.aws_environment import REGION, make_application, make_bucket, runs, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ARGUMENTS = ["prove", "page_views_per_minute", "v2"]
RETRIES = 3


def main(folder: Path) -> None:
    sys.path.insert(0, str(folder))
    os.environ["AWS_DEFAULT_REGION"] = REGION
    with mock_aws():
        emr = boto3.client("emr-serverless")
        application = make_application(emr)
        make_bucket(boto3.resource("s3"), "headwater-test-artifacts")
        os.environ["HEADWATER_ENVIRONMENT"] = settings_of(application).encoded()
        story = [len(runs(emr, application)) for _ in tries()]
        print(json.dumps({"runs": story, "ended": [run["state"] for run in runs(emr, application)]}))


def tries() -> Iterator[str]:
    """Yield after each step of the task's life."""
    models.JOB_STATUS = "SUCCESS"
    execute(try_number=1, max_tries=RETRIES)
    yield "succeeded, but the worker died before it could say so"
    execute(try_number=2, max_tries=RETRIES)
    yield "tried again"
    execute(try_number=3, max_tries=2 + RETRIES)
    yield "cleared by a person"
    models.JOB_STATUS = "RUNNING"
    killed(try_number=4, max_tries=3 + RETRIES)
    yield "cleared again, and ended by a person while it ran"


def execute(*, try_number: int, max_tries: int) -> None:
    operator, context = task(try_number=try_number, max_tries=max_tries)
    operator.execute(context)


def killed(*, try_number: int, max_tries: int) -> None:
    """Run a task that gets Airflow's signal while it waits."""
    from headwater.engines import emr_jobs
    from headwater.errors import Refusal

    operator, context = task(try_number=try_number, max_tries=max_tries)
    emr_jobs.EmrJobs.__init__.__defaults__ = (lambda _seconds: operator.on_kill(),)
    with suppress(Refusal):
        operator.execute(context)


def task(*, try_number: int, max_tries: int) -> tuple[Any, Any]:
    from spark_job import SparkJob

    operator = SparkJob(task_id="prove", application="unused.py", application_args=ARGUMENTS)
    itself = RuntimeTaskInstance.model_construct(
        id=uuid.uuid4(),
        task_id="prove",
        dag_id="replay",
        run_id="manual__2026",
        map_index=-1,
        try_number=try_number,
        max_tries=max_tries,
        task=operator,
    )
    return operator, {"ti": itself}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
