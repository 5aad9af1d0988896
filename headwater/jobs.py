"""Bounded Spark jobs: they look at tables, do what is to be done, say it, and end.

Airflow submits them through its Spark operator, the command line through `run`; both use the same program and
the same configuration folder, which the environment renders (`<home>/spark/jobs`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from headwater.settings import Settings

PROGRAM = REPOSITORY / "expectations/__main__.py"
TAIL = 15


def run(settings: Settings, *arguments: str) -> None:
    """Run one job, e.g. `run(settings, "prove", view, label)`, and wait for its end.

    What it prints is passed on; a job that fails is refused with its last words.
    """
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


def environment(settings: Settings) -> dict[str, str]:
    """Return what spark-submit and the job must know: how Spark is configured, and which instance this is."""
    return {
        "HEADWATER_HOME": settings.home,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_CONF_DIR": f"{settings.home}/spark/jobs",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def _passed_on(submitted: subprocess.Popen[str]) -> list[str]:
    lines = []
    for line in submitted.stdout or ():
        print(line, end="", flush=True)
        lines.append(line)
    return lines
