"""An application of EMR Serverless: what runs in it, and how AWS is asked to start or end a run."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from headwater.engines.engine import ClusterSilent
from headwater.errors import Refusal
from headwater.settings import TOLD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.engines.engine import Submission
    from headwater.settings import Settings

SCHEME = "emr-serverless://"
TOLD_DRIVERS = f"spark.emr-serverless.driverEnv.{TOLD}"
ALIVE = ("SUBMITTED", "PENDING", "SCHEDULED", "QUEUED", "RUNNING", "CANCELLING")


class Application:
    """One application of EMR Serverless."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.id = settings.spark_master.removeprefix(SCHEME)

    def start(self, submission: Submission, *, name: str, token: str, role: str, **how: Any) -> str:
        """Start a run and return AWS's id of it; AWS takes a token only once."""
        request = self._request(submission, name, role)
        return str(self.ask("start_job_run", name=name, clientToken=token, **request, **how)["jobRunId"])

    def runs(self, **which: Any) -> Iterator[dict[str, Any]]:
        """Return the runs of these `states` or this `mode`, by default all that EMR remembers."""
        page = dict(which)
        while True:
            answer = self.ask("list_job_runs", **page)
            yield from answer["jobRuns"]
            if not (following := answer.get("nextToken")):
                return
            page["nextToken"] = following

    def run(self, run: str) -> dict[str, Any]:
        """Return how a run is."""
        return dict(self.ask("get_job_run", jobRunId=run)["jobRun"])

    def cancel(self, run: str) -> None:
        """Have EMR end a run."""
        self.ask("cancel_job_run", jobRunId=run)

    def describe(self) -> dict[str, Any]:
        """Return how the application is, and how much may run in it."""
        return dict(self.ask("get_application")["application"])

    def ask(self, what: str, **parameters: Any) -> dict[str, Any]:
        """Ask AWS; what it refuses is a refusal, and no answer a silent cluster."""
        try:
            return dict(getattr(self.client, what)(applicationId=self.id, **parameters))
        except ClientError as error:
            if error.response["Error"]["Code"] == "ResourceNotFoundException":
                raise ClusterSilent(
                    f'EMR Serverless does not know the application "{self.id}"',
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
    def client(self) -> Any:
        """AWS's own client."""
        return boto3.client("emr-serverless", endpoint_url=self._settings.spark_rest_url)

    def _request(self, submission: Submission, name: str, role: str) -> dict[str, Any]:
        settings = self._settings
        properties = {
            **settings.spark_app_properties,
            "spark.app.name": submission.name,
            "spark.submit.pyFiles": submission.artifact,
            "spark.emr-serverless.driverEnv.HEADWATER_DRIVER": name,
        }
        log = {"enabled": True, "logGroupName": settings.spark_log_group, "logStreamNamePrefix": role}
        return {
            "executionRoleArn": settings.spark_roles[role],
            "jobDriver": {
                "sparkSubmit": {
                    # EMR runs a .py, not a .zip; the one beside the artifact runs what is in it.
                    "entryPoint": submission.artifact.removesuffix(".zip") + ".py",
                    "entryPointArguments": list(submission.arguments),
                    # AWS takes 1024 characters in a property, and a hundred times as many here.
                    "sparkSubmitParameters": f"--conf {TOLD_DRIVERS}={settings.encoded()}",
                }
            },
            "configurationOverrides": {
                "applicationConfiguration": [{"classification": "spark-defaults", "properties": properties}],
                "monitoringConfiguration": {"cloudWatchLoggingConfiguration": log},
            },
            "tags": {"app": submission.name},
        }


def token_of(*words: str) -> str:
    """Return a word that is the same for the same words, and no other."""
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]
