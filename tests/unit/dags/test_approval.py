"""The approval of a replay: asked once; a no, and no answer in time, end the run for good and in words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from headwater.settings import REPOSITORY


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("airflow")
    settings = {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/none.db",
        "HEADWATER_HOME": str(home / "nowhere"),
    }
    command = [sys.executable, str(Path(__file__).with_name("answer.py")), str(REPOSITORY / "dags")]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ended: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return ended


def test_yes_goes_on_with_the_name_of_who_said_it(ended: dict[str, Any]) -> None:
    assert ended["approved"] == {"outcome": "approved", "by": "admin", "left": []}


def test_no_ends_the_run_for_good_and_says_whose_it_was(ended: dict[str, Any]) -> None:
    words = "admin rejected it"
    assert ended["rejected"] == {"outcome": "failed for good", "words": words, "left": [f"refused: {words}"]}


def test_no_answer_in_time_is_a_no(ended: dict[str, Any]) -> None:
    assert timedelta(seconds=ended["waits"]) == timedelta(hours=12)
    words = "nobody approved it within 12:00:00"
    assert ended["no answer in time"] == {
        "outcome": "failed for good",
        "words": words,
        "left": [f"refused: {words}"],
    }


def test_nobody_is_asked_if_the_form_says_so(ended: dict[str, Any]) -> None:
    asked = ended["nobody is to be asked"]
    assert (asked["outcome"], asked["left"]) == ("skipped", [])


def test_person_is_asked_once_even_if_airflow_tries_the_task_again(ended: dict[str, Any]) -> None:
    assert ended["first try"] == {"outcome": "waits", "left": [], "asked": 1}
    assert ended["approved, tried again"] == {"outcome": "approved", "by": "admin", "left": [], "asked": 0}
    rejected = ended["rejected, tried again"]
    assert (rejected["outcome"], rejected["words"]) == ("failed for good", "admin rejected it")
    assert rejected["asked"] == 0


@pytest.mark.parametrize(
    "case",
    [
        "not answered, tried again",
        "other question approved, tried again",
        "approved, cleared",
        "Airflow is away, tried again",
    ],
)
def test_no_answer_to_another_question_and_none_from_before_is_taken(
    ended: dict[str, Any], case: str
) -> None:
    assert ended[case] == {"outcome": "waits", "left": [], "asked": 1}
