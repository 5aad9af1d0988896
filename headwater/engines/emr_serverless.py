"""EMR Serverless: Spark as a service of AWS, which starts a failed driver again by itself.

A driver is called by a name that we choose, e.g. `traffic-0a1b2c3d4e5f6071`, made of what is submitted and of
what was submitted before it. So a submission that was sent, but never written down, is found when it is sent
again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.engines.emr_application import ALIVE, Application, token_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.engines.engine import Submission
    from headwater.settings import Settings

# More than supervision takes for a crash loop, so that it is supervision that gives up, and says so.
ATTEMPTS_PER_HOUR = 10
QUEUED = ("SUBMITTED", "PENDING", "SCHEDULED", "QUEUED")
STREAMING = "STREAMING"  # no end, and started again when it fails
REPLAY = "replay"  # the role of apps of one version, unless it is live and has a topic to write


class EmrServerless:
    """The drivers of apps in an EMR Serverless application."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._application = Application(settings)

    def submit(self, submission: Submission) -> str:
        """Start a driver; or find the one that was started by this very submission."""
        token = token_of(submission.name, submission.artifact, *submission.arguments, submission.after or "")
        driver = f"{submission.name}-{token}"
        if not any(run["name"] == driver for run in self._application.runs(mode=STREAMING)):
            self._application.start(
                submission,
                name=driver,
                token=token,
                role=self._role(submission),
                mode=STREAMING,
                retryPolicy={"maxFailedAttemptsPerHour": ATTEMPTS_PER_HOUR},
            )
        return driver

    def running(self, driver: str) -> bool:
        """Look for the driver among those that have not ended."""
        return any(self._runs_of(driver))

    def queued(self, driver: str) -> bool:
        """Look whether EMR has still to find room for a driver."""
        return any(run["state"] in QUEUED for run in self._runs_of(driver))

    def drivers(self) -> set[str]:
        """Return the names of all runs that have not ended."""
        return {run["name"] for run in self._application.runs(states=ALIVE)}

    def workers(self) -> int:
        """Return 1 if the application can run drivers; AWS finds the machines."""
        return int(self._application.describe()["state"] != "TERMINATED")

    def room(self) -> str:
        """Compare what an app asks for, driver and executors, with what the application may still take."""
        asked = self._settings.spark_app_properties
        executors = int(asked["spark.executor.instances"]) * int(asked["spark.executor.cores"])
        cores = int(asked["spark.driver.cores"]) + executors
        most = float(self._application.describe()["maximumCapacity"]["cpu"].removesuffix("vCPU"))
        free = most - cores * len(list(self._application.runs(states=ALIVE)))
        if cores <= free:
            return ""
        return (
            f"EMR Serverless has no room: an app takes {cores} processors; {free:g} of {most:g} are free. "
            "Release warm versions, or raise `maximum` in infra/modules/aws/spark."
        )

    def kill(self, driver: str) -> None:
        """Have EMR end a driver."""
        for run in self._runs_of(driver):
            self._application.cancel(run["id"])

    def _role(self, submission: Submission) -> str:
        """Return the role of the app, or of the group whose rights it has, or that of all others."""
        names = (submission.name, submission.group or "")
        return next((name for name in names if name in self._settings.spark_roles), REPLAY)

    def _runs_of(self, driver: str) -> Iterator[dict[str, Any]]:
        return (run for run in self._application.runs(states=ALIVE) if run["name"] == driver)
