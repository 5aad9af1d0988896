"""Spark's own cluster: submission over its REST interface, with a signed token.

spark-submit can neither sign its requests nor send a Python driver to a standalone cluster; so the request is
made here. The main class is Spark's own runner of Python programs, and any jar will do as the application.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import urllib.error
import urllib.request
from functools import cached_property
from http import HTTPStatus
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jwt

from headwater.engines import sizes
from headwater.engines.engine import ClusterSilent
from headwater.errors import Refusal
from headwater.settings import TOLD

if TYPE_CHECKING:
    from headwater.engines.engine import Submission
    from headwater.settings import Settings

QUEUED = "SUBMITTED"
ALIVE = (QUEUED, "RUNNING", "RELAUNCHING")
REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
TIMEOUT_SECONDS = 15


class Standalone:
    """A Spark standalone cluster."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def submit(self, submission: Submission) -> str:
        """Start a supervised driver in the cluster."""
        answer = self._call("create", self._request(submission))
        if not answer.get("success"):
            raise Refusal(
                f'app "{submission.name}" could not be submitted', detail=str(answer.get("message"))
            )
        return str(answer["submissionId"])

    def running(self, driver: str) -> bool:
        """Ask the master how a driver is."""
        return self.state(driver) in ALIVE

    def queued(self, driver: str) -> bool:
        """Ask the master whether it has found a worker with room for a driver."""
        return self.state(driver) == QUEUED

    def drivers(self) -> set[str]:
        """Return the drivers on the master's list: it has neither names nor arguments, only ids."""
        return {driver["id"] for driver in self._status()["activedrivers"]}

    def state(self, driver: str) -> str:
        """Return the master's word for a driver's state, e.g. RUNNING; NOT_FOUND when it knows none."""
        return str(self._call(f"status/{driver}").get("driverState", "NOT_FOUND"))

    def workers(self) -> int:
        """Ask the master how many workers are alive."""
        return len(self._alive())

    def room(self) -> str:
        """Compare what one more version would take, driver and executors, with what the workers have left."""
        app = self._settings.spark_app_properties
        executors = int(app[sizes.CORES])  # of one core each
        cores = int(app["spark.driver.cores"]) + executors
        each = sizes.megabytes(sizes.apart(app)[sizes.MEMORY])
        memory = sizes.megabytes(app["spark.driver.memory"]) + executors * each
        workers = self._alive()
        free_cores = sum(worker["coresfree"] for worker in workers)
        free_memory = sum(worker["memoryfree"] for worker in workers)
        if cores <= free_cores and memory <= free_memory:
            return ""
        return (
            f"The Spark cluster has no room: an app takes {cores} slots and {memory} MB; "
            f"{free_cores} and {free_memory} MB are free. Release warm versions, or add workers."
        )

    def _alive(self) -> list[dict[str, Any]]:
        return [worker for worker in self._status()["workers"] if worker["state"] == "ALIVE"]

    def _status(self) -> dict[str, Any]:
        return self._ask(urllib.request.Request(f"{self._settings.spark_ui_url}/json/"))

    def kill(self, driver: str) -> None:
        """Have the master end a driver."""
        self._call(f"kill/{driver}", {})

    def _request(self, submission: Submission) -> dict[str, Any]:
        asked = self._settings.spark_app_properties
        return {
            "action": "CreateSubmissionRequest",
            "clientSparkVersion": metadata.version("pyspark"),
            "appResource": f"file:{self._any_jar}",
            "mainClass": "org.apache.spark.deploy.PythonRunner",
            "appArgs": [submission.artifact, submission.artifact, *submission.arguments],
            "environmentVariables": {
                "PYSPARK_PYTHON": sys.executable,
                "HEADWATER_HOME": self._settings.home,
                **self._whereabouts(),
            },
            "sparkProperties": {
                **(sizes.apart(asked) if submission.apart else asked),
                "spark.app.name": submission.name,
                "spark.master": self._settings.spark_master,
                "spark.submit.deployMode": "cluster",
                "spark.driver.supervise": "true",
                "spark.pyspark.python": sys.executable,
                "spark.pyspark.driver.python": sys.executable,
                "spark.driver.extraClassPath": f"{self._settings.spark_jars}/*",
                "spark.executor.extraClassPath": f"{self._settings.spark_jars}/*",
            },
        }

    def _whereabouts(self) -> dict[str, str]:
        """Return what a driver must know of where it runs: in somebody else's cluster, what we were told."""
        if TOLD in os.environ:
            return {TOLD: self._settings.encoded()}
        return {"SPARK_LOCAL_IP": "127.0.0.1"}

    @cached_property
    def _any_jar(self) -> str:
        spec = util.find_spec("pyspark")
        if spec is None or spec.origin is None:
            raise Refusal("PySpark is not installed", hint="Run `make up`: it installs everything.")
        return str(next((Path(spec.origin).parent / "jars").glob("spark-core_*.jar")))

    def _call(self, what: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self._settings.spark_rest_url}/v1/submissions/{what}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {self._token()}"},
        )
        return self._ask(request)

    def _ask(self, request: urllib.request.Request) -> dict[str, Any]:
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                return dict(json.load(answer))
        except OSError as error:
            raise _silent(request, error) from error

    def _token(self) -> str:
        key = base64.urlsafe_b64decode(self._settings.secret("spark.submission"))
        return jwt.encode({"sub": "headwater"}, key, algorithm="HS384")


def _silent(request: urllib.request.Request, error: OSError) -> ClusterSilent:
    unsigned = isinstance(error, urllib.error.HTTPError) and error.code in REFUSED
    return ClusterSilent(
        f"the Spark master {'does not take our signature' if unsigned else 'did not answer'}",
        detail=f"{request.full_url}: {error}",
        hint="See whether spark.submission is the master's own key."
        if unsigned
        else "See whether the part `spark` runs: `make status`.",
    )
