"""Bounded Spark jobs: they look at tables, do what is to be done, say it, and end.

Where Spark is a cluster, a job runs beside whoever asks for it, by spark-submit: Airflow submits through its
Spark operator, the command line through `run`; both use the same program and the same configuration folder,
which the environment renders (`<home>/spark/jobs`). Where Spark is a service, a job is a run of that service,
of the same code, packed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from headwater import packing
from headwater.engines import Submission, jobs_of
from headwater.errors import Refusal
from headwater.settings import REPOSITORY
from headwater.shelves import shelf_of

if TYPE_CHECKING:
    from headwater.settings import Settings

PROGRAM = REPOSITORY / "expectations/__main__.py"
JOBS = packing.Program(
    packages=("headwater", "spark_apps", "expectations"),
    entry_point="import sys\n\nfrom expectations.__main__ import main\n\nsys.exit(main(sys.argv[1:]))\n",
)
TAIL = 15


def run(settings: Settings, *arguments: str, key: str = "") -> None:
    """Run one job, e.g. `run(settings, "prove", view, label)`, and wait for its end.

    What it prints is passed on, or where its log is; a job that fails is refused with its last words. A job
    of a service has a key: who asks again with the same one finds the job that they asked for before.
    """
    service = jobs_of(settings)
    if service is None:
        _submit_here(settings, arguments)
    else:
        packed = shelf_of(settings).put(packing.pack(JOBS))
        submission = Submission(name=arguments[0], artifact=packed, arguments=arguments)
        service.run(submission, key or uuid.uuid4().hex)


def run_here(settings: Settings) -> bool:
    """Say whether jobs run beside whoever asks for them."""
    return jobs_of(settings) is None


def stop(settings: Settings, name: str, key: str) -> None:
    """End a job that does not run beside whoever asked for it."""
    if service := jobs_of(settings):
        service.stop(name, key)


def environment(settings: Settings) -> dict[str, str]:
    """Return what spark-submit and the job must know: how Spark is configured, and which instance this is."""
    return {
        "HEADWATER_HOME": settings.home,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_CONF_DIR": f"{settings.home}/spark/jobs",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def _submit_here(settings: Settings, arguments: tuple[str, ...]) -> None:
    submitted = subprocess.Popen(
        [Path(sys.executable).parent / "spark-submit", PROGRAM, *arguments],
        env=os.environ | environment(settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    lines = _passed_on(submitted)
    if submitted.wait() != 0:
        raise Refusal(f'job "{" ".join(arguments)}" failed', detail="".join(lines[-TAIL:]).strip())


def _passed_on(submitted: subprocess.Popen[str]) -> list[str]:
    lines = []
    for line in submitted.stdout or ():
        print(line, end="", flush=True)
        lines.append(line)
    return lines
