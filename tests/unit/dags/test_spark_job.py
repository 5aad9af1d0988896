"""A Spark job as a task: where Spark is a service, tries share a run, and a cleared task begins another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from headwater.settings import REPOSITORY


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("airflow")
    settings = {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/none.db",
        "PYTHONPATH": str(REPOSITORY),
    }
    script = Path(__file__).with_name("run_spark_job.py")
    command = [sys.executable, str(script), str(REPOSITORY / "dags")]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    story: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return story


def test_task_that_is_tried_again_starts_nothing_and_one_that_is_cleared_does(story: dict[str, Any]) -> None:
    first, tried_again, cleared, cleared_again = story["runs"]
    assert (first, tried_again, cleared, cleared_again) == (1, 1, 2, 3)


def test_task_that_is_ended_ends_its_run(story: dict[str, Any]) -> None:
    assert story["ended"] == ["SUCCESS", "SUCCESS", "CANCELLED"]
