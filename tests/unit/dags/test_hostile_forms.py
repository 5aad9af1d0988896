"""Whatever is put into the field of a form: the first task says no in words, for good, and does nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from headwater.settings import REPOSITORY
from tests.hostile import FREE_TEXT

FOLDER = REPOSITORY / "dags"


@pytest.fixture(scope="module")
def filled_in(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("airflow")
    settings = {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/none.db",
        "HEADWATER_HOME": str(home / "nowhere"),
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONDONTWRITEBYTECODE": "1",  # what is written by then is written by a task
    }
    command = [sys.executable, str(Path(__file__).with_name("fill_in.py")), str(FOLDER)]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answers


def test_every_form_was_filled_in(filled_in: dict[str, Any]) -> None:
    forms = {file.stem for file in FOLDER.glob("*.py") if "params=FORM" in file.read_text()}
    assert {answer["dag"] for answer in filled_in["answers"]} == forms


def test_every_form_in_order_is_accepted_of_whatever_kind(filled_in: dict[str, Any]) -> None:
    """So it is the hostile field that the others are refused for, and nothing beside it."""
    assert [answer for answer in filled_in["in_order"] if answer["outcome"] != "accepted"] == []
    assert {answer["form"].get("kind") for answer in filled_in["in_order"]} == {None, "rebuild", "backfill"}
    tried = [answer["words"] for answer in filled_in["answers"] if answer["kind"] == "backfill"]
    assert tried
    assert not any("is for a backfill" in words for words in tried)


def test_run_is_named_as_airflow_names_it_or_not_at_all(filled_in: dict[str, Any]) -> None:
    """A name that Airflow would take is kept as it is: a word of the job's arguments, a value of SQL."""
    accepted = [run for run in filled_in["runs"] if run["outcome"] == "accepted"]
    assert {run["value"] for run in accepted} == {"..", "--help-me", "-rf", "0001-01-01T00:00:00+23:59"}
    assert all(run["words"] == run["value"] for run in accepted)


def test_nothing_fails_otherwise_than_by_a_refusal(filled_in: dict[str, Any]) -> None:
    assert [answer for answer in filled_in["answers"] if answer["outcome"] == "failed"] == []


def test_nothing_was_started_nor_asked(filled_in: dict[str, Any]) -> None:
    assert filled_in["acts"] == []


def test_only_free_text_is_accepted_and_stays_what_it_was(filled_in: dict[str, Any]) -> None:
    accepted = [answer for answer in filled_in["answers"] if answer["outcome"] == "accepted"]
    assert {answer["field"] for answer in accepted} <= FREE_TEXT
    assert len(accepted) > 10
    for answer in accepted:
        assert json.loads(answer["value"]) == json.loads(answer["words"])[answer["field"]]


def test_a_refusal_names_the_field_and_stays_short(filled_in: dict[str, Any]) -> None:
    refused = [answer for answer in filled_in["answers"] if answer["outcome"] == "refused"]
    assert len(refused) > 500
    for answer in refused:
        what, detail = answer["words"].split("\n", 1)
        assert what == "the form could not be accepted"
        assert f'"{answer["field"]}' in detail, answer
        assert len(detail) < 10_000, answer
