"""Bounded jobs in an EMR Serverless application: each is a run that ends, and is waited for.

A job is called by what asks for it, e.g. a task of Airflow, as its key. Whoever asks again with the same key
finds what has become of the job:

    it runs, or is about to     it is joined: the one who asked has died, or lost the connection
    it has succeeded            nothing is left to do
    it failed, or was ended     it is run once more

So a task that is tried again never starts a second run beside a first one.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from headwater.engines.emr_application import ALIVE, Application, token_of
from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from headwater.engines.engine import Submission
    from headwater.settings import Settings

BATCH = "BATCH"
UNDER_WAY = tuple(state for state in ALIVE if state != "CANCELLING")  # nobody waits for what is being ended
SUCCEEDED = "SUCCESS"
MOST_MINUTES = 360  # nothing that ends by itself takes longer; whatever does costs money for nothing
LOOK_EVERY_SECONDS = 10
LOOKING = "jobs"  # the role of jobs that have none of their own: they may look, and write nothing


class EmrJobs:
    """The bounded jobs of an EMR Serverless application."""

    def __init__(self, settings: Settings, pause: Callable[[float], None] = time.sleep) -> None:
        self._settings = settings
        self._application = Application(settings)
        self._pause = pause

    def run(self, submission: Submission, key: str) -> None:
        """Run a job to its end, or join the one with this key; refuse if it fails."""
        run = self._find(submission.name, key) or self._start(submission, key)
        print(f"job {submission.name} is run {run} of EMR Serverless; {self._log()}", flush=True)
        try:
            ended = self._wait(run)
        except KeyboardInterrupt:  # somebody at a terminal, who waits no longer
            self._application.cancel(run)
            raise
        if ended["state"] != SUCCEEDED:
            raise Refusal(
                f'job "{" ".join(submission.arguments)}" {ended["state"].lower()}',
                detail=ended.get("stateDetails") or "EMR Serverless does not say why.",
                hint=f"This is run {run}; {self._log()}.",
            )

    def stop(self, name: str, key: str) -> None:
        """End the job with this key. Does nothing if it has ended already."""
        for run in self._runs(name, key):
            if run["state"] in ALIVE:
                self._application.cancel(run["id"])

    def _find(self, name: str, key: str) -> str | None:
        """Return the run that is under way or has succeeded; there is one at most."""
        found = (run["id"] for run in self._runs(name, key) if run["state"] in (*UNDER_WAY, SUCCEEDED))
        return next(found, None)

    def _start(self, submission: Submission, key: str) -> str:
        failed = len(list(self._runs(submission.name, key)))
        roles = self._settings.spark_roles
        return self._application.start(
            submission,
            name=_called(submission.name, key),
            token=token_of(submission.name, key, str(failed)),  # should two ask at a time, it is started once
            role=submission.name if submission.name in roles else LOOKING,
            mode=BATCH,
            executionTimeoutMinutes=MOST_MINUTES,
        )

    def _wait(self, run: str) -> dict[str, Any]:
        while (seen := self._application.run(run))["state"] in ALIVE:
            self._pause(LOOK_EVERY_SECONDS)
        return seen

    def _runs(self, name: str, key: str) -> Iterator[dict[str, Any]]:
        called = _called(name, key)
        return (run for run in self._application.runs(mode=BATCH) if run["name"] == called)

    def _log(self) -> str:
        return f"its log is in {self._settings.spark_log_group}, in streams with that run in their names"


def _called(name: str, key: str) -> str:
    return f"{name}-{token_of(key)}"
