"""EMR Serverless: Spark as a service of AWS, which starts a failed driver again by itself.

A driver is called by a name that we choose, e.g. `traffic-0a1b2c3d4e5f6071`, made of what is submitted and of
what was submitted before it. So a submission that was sent, but never written down, is found when it is sent
again.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from headwater.engines.engine import ClusterSilent
from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.engines.engine import Submission
    from headwater.settings import Settings

SCHEME = "emr-serverless://"
ALIVE = ["SUBMITTED", "PENDING", "SCHEDULED", "QUEUED", "RUNNING", "CANCELLING"]
# More than supervision takes for a crash loop, so that it is supervision that gives up, and says so.
ATTEMPTS_PER_HOUR = 10
REPLAY = "replay"  # the role of apps of one version


class EmrServerless:
    """An EMR Serverless application."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._application = settings.spark_master.removeprefix(SCHEME)

    def submit(self, submission: Submission) -> str:
        """Start a driver; or find the one that was started by this very submission."""
        token = _token(submission)
        driver = f"{submission.name}-{token}"
        if not any(run["name"] == driver for run in self._runs()):
            self._ask("start_job_run", name=driver, clientToken=token, **self._request(submission, driver))
        return driver

    def running(self, driver: str) -> bool:
        """Look for the driver among those that have not ended."""
        return any(self._runs_of(driver))

    def workers(self) -> int:
        """Return 1 if the application can run drivers; AWS finds the machines."""
        return int(self._describe()["state"] != "TERMINATED")

    def room(self) -> str:
        """Compare what an app asks for, driver and executors, with what the application may still take."""
        asked = self._settings.spark_app_properties
        executors = int(asked["spark.executor.instances"]) * int(asked["spark.executor.cores"])
        cores = int(asked["spark.driver.cores"]) + executors
        most = float(self._describe()["maximumCapacity"]["cpu"].removesuffix("vCPU"))
        free = most - cores * len(list(self._runs(ALIVE)))
        if cores <= free:
            return ""
        return (
            f"EMR Serverless has no room: an app takes {cores} processors; {free:g} of {most:g} are free. "
            "Release warm versions, or raise `maximum` in infra/modules/aws/spark."
        )

    def kill(self, driver: str) -> None:
        """Have EMR end a driver."""
        for run in self._runs_of(driver):
            self._ask("cancel_job_run", jobRunId=run["id"])

    def _request(self, submission: Submission, driver: str) -> dict[str, Any]:
        settings = self._settings
        role = submission.name if submission.name in settings.spark_roles else REPLAY
        properties = {
            **settings.spark_app_properties,
            "spark.app.name": submission.name,
            "spark.submit.pyFiles": submission.artifact,
            "spark.emr-serverless.driverEnv.HEADWATER_DRIVER": driver,
            "spark.emr-serverless.driverEnv.HEADWATER_ENVIRONMENT": settings.encoded(),
        }
        log = {"enabled": True, "logGroupName": settings.spark_log_group, "logStreamNamePrefix": role}
        return {
            "executionRoleArn": settings.spark_roles[role],
            "mode": "STREAMING",  # no end, and started again when it fails
            "retryPolicy": {"maxFailedAttemptsPerHour": ATTEMPTS_PER_HOUR},
            "jobDriver": {
                "sparkSubmit": {
                    # EMR runs a .py, not a .zip; the one beside the artifact runs what is in it.
                    "entryPoint": submission.artifact.removesuffix(".zip") + ".py",
                    "entryPointArguments": list(submission.arguments),
                }
            },
            "configurationOverrides": {
                "applicationConfiguration": [{"classification": "spark-defaults", "properties": properties}],
                "monitoringConfiguration": {"cloudWatchLoggingConfiguration": log},
            },
            "tags": {"app": submission.name},
        }

    def _runs_of(self, driver: str) -> Iterator[dict[str, Any]]:
        return (run for run in self._runs(ALIVE) if run["name"] == driver)

    def _runs(self, states: list[str] | None = None) -> Iterator[dict[str, Any]]:
        """Return drivers in one of these states, by default all that EMR remembers, the newest first."""
        page: dict[str, Any] = {"states": states} if states else {}
        while True:
            answer = self._ask("list_job_runs", **page)
            yield from answer["jobRuns"]
            if not (following := answer.get("nextToken")):
                return
            page["nextToken"] = following

    def _describe(self) -> dict[str, Any]:
        return dict(self._ask("get_application")["application"])

    def _ask(self, what: str, **parameters: Any) -> dict[str, Any]:
        try:
            return dict(getattr(self._client, what)(applicationId=self._application, **parameters))
        except ClientError as error:
            if error.response["Error"]["Code"] == "ResourceNotFoundException":
                raise ClusterSilent(
                    f'EMR Serverless does not know the application "{self._application}"',
                    detail=str(error),
                    hint="Compare the output `spark_master` of the environment with AWS's console.",
                ) from error
            raise Refusal(f"EMR Serverless refused `{what}`", detail=str(error)) from error
        except BotoCoreError as error:
            raise ClusterSilent(
                "EMR Serverless did not answer",
                detail=str(error),
                hint="See whether AWS credentials are at hand, and the network's endpoint `emr-serverless`.",
            ) from error

    @cached_property
    def _client(self) -> Any:
        return boto3.client("emr-serverless", endpoint_url=self._settings.spark_rest_url)


def _token(submission: Submission) -> str:
    """Return the same for the same submission after the same one; EMR, too, takes such a one only once."""
    words = (submission.name, submission.artifact, *submission.arguments, submission.after or "")
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]
