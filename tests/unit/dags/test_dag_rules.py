"""Rules over all DAGs; each message says what to do about it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from headwater.settings import REPOSITORY

FOLDER = REPOSITORY / "dags"
SHARED = [line for line in (FOLDER / ".airflowignore").read_text().splitlines() if line[:1] != "#"]
FILES = sorted(file.name for file in FOLDER.glob("*.py") if file.name not in SHARED)
NAMES = [Path(file).stem for file in FILES]
HEAVY = {"pyspark", "great_expectations", "kafka", "psycopg", "pandas", "pyarrow", "pyiceberg", "spark_apps"}
MAY_IMPORT = {
    "__future__",
    "airflow",
    "datetime",
    "headwater",
    "typing",
    *(Path(file).stem for file in SHARED),
}


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("airflow")
    settings = {"AIRFLOW_HOME": str(home), "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/none.db"}
    command = [sys.executable, str(Path(__file__).with_name("parse.py")), str(FOLDER)]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    parsed: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return parsed


@pytest.fixture(params=NAMES)
def dag(request: pytest.FixtureRequest, parsed: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = parsed["dags"][request.param]
    return found


def test_every_file_makes_the_dag_it_is_named_after(parsed: dict[str, Any]) -> None:
    assert parsed["errors"] == {}
    assert {name: dag["file"] for name, dag in parsed["dags"].items()} == dict(zip(NAMES, FILES, strict=True))


def test_parsing_imports_nothing_heavy(parsed: dict[str, Any]) -> None:
    imported = HEAVY & set(parsed["modules"])
    assert not imported, f"import {imported} inside the task that needs it"


def test_parsing_neither_connects_nor_starts_anything(parsed: dict[str, Any]) -> None:
    assert parsed["acts"] == [], "a DAG's file builds the DAG; whatever else it does belongs into a task"


def test_no_file_takes_as_long_as_airflow_itself(parsed: dict[str, Any]) -> None:
    slow = {file: time for file, time in parsed["seconds"].items() if time > parsed["importing_airflow"]}
    assert not slow, "a second is the goal; what takes so long belongs into a task"


@pytest.mark.parametrize("file", FILES)
def test_file_is_wiring_only(file: str) -> None:
    imported = {name.split(".")[0] for node in tree_of(file).body for name in _imported(node)}
    assert imported <= MAY_IMPORT, "import what a task needs inside it, and no DAG from another"


@pytest.mark.parametrize("file", [*FILES, *SHARED])
def test_nothing_is_pasted_into_a_template(file: str) -> None:
    assert "{{" not in (FOLDER / file).read_text(), "hand values over as arguments"


def test_dag_explains_itself(dag: dict[str, Any]) -> None:
    title, _, story = (dag["doc"] or "").partition("\n\n")
    assert title.endswith("."), "begin the file with what the DAG is for, in one sentence"
    assert len(story.split()) >= 20, "say what happens and what to be careful about"


def test_dag_has_owner_tags_and_limits(dag: dict[str, Any]) -> None:
    assert dag["owner"] == "headwater"
    assert "headwater" in dag["tags"]
    assert 1 <= dag["max_active_runs"] <= 4, "Airflow's own 16 are too many for a laptop: choose"
    assert dag["catchup"] is False


def test_every_task_says_what_it_does(dag: dict[str, Any]) -> None:
    silent = [name for name, task in dag["tasks"].items() if not task["doc"]]
    assert not silent, "give the task a docstring, or a doc_md"


def test_every_field_of_the_form_is_typed_titled_and_explained(dag: dict[str, Any]) -> None:
    wanted = {"type", "title", "description_md"}
    poor = {name for name, field in dag["params"].items() if not wanted <= field["schema"].keys()}
    assert not poor, f"give each Param {wanted}"


def test_text_in_a_form_is_bounded(dag: dict[str, Any]) -> None:
    schemas = {name: field["schema"] for name, field in dag["params"].items()}
    texts = {name: schema for name, schema in schemas.items() if "string" in schema["type"]}
    loose = {name for name, schema in texts.items() if not {"enum", "pattern", "maxLength"} & schema.keys()}
    assert not loose, "say which values, which pattern, or how long"


def test_form_is_checked_again_by_the_first_task_for_good(dag: dict[str, Any]) -> None:
    first = {name for name, task in dag["tasks"].items() if not task["after"]}
    functions = [node for node in tree_of(dag["file"]).body if isinstance(node, ast.FunctionDef)]
    for function in functions:
        if dag["params"] and function.name in first:
            decorators = [ast.unparse(decorator) for decorator in function.decorator_list]
            assert decorators == ["task", "refusing"], "a refusal does not become a yes by trying again"


def test_replaying_is_a_dry_run_with_approval_unless_told_otherwise(parsed: dict[str, Any]) -> None:
    fields = parsed["dags"]["replay"]["params"]
    assert (fields["dry_run"]["value"], fields["approval"]["value"]) == (True, True)
    assert fields["view"]["value"] is None, "which view must be chosen on purpose"


def test_run_that_was_cleaned_up_is_a_failed_run(dag: dict[str, Any]) -> None:
    after = {name for task in dag["tasks"].values() for name in task["after"]}
    last = {task["trigger_rule"] for name, task in dag["tasks"].items() if name not in after}
    assert last != {"one_failed"}, "Airflow looks at the last tasks only: give what must succeed one, too"


def test_whatever_fails_once_a_replay_has_begun_is_cleaned_up(parsed: dict[str, Any]) -> None:
    tasks = parsed["dags"]["replay"]["tasks"]
    steps = ["approve", "build", "catch_up", "commit", "judge", "promote", "prove"]
    assert (tasks["clean_up"]["after"], tasks["clean_up"]["trigger_rule"]) == (steps, "one_failed")


def test_registry_that_is_away_for_minutes_neither_loses_what_was_approved_nor_leaves_a_replay_open(
    parsed: dict[str, Any],
) -> None:
    tasks = parsed["dags"]["replay"]["tasks"]
    assert min(tasks[name]["tries_for"] for name in ("promote", "clean_up")) >= 600


def test_deploying_changes_nothing_before_the_code_was_checked(parsed: dict[str, Any]) -> None:
    tasks = parsed["dags"]["deploy"]["tasks"]
    assert tasks["check_code"]["after"] == ["validate"]
    assert "check_code" in tasks["bring_topics_in_step"]["after"]
    assert "bring_topics_in_step" in tasks["change"]["after"]


def tree_of(file: str) -> ast.Module:
    return ast.parse((FOLDER / file).read_text())


def _imported(node: ast.stmt) -> list[str]:
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            return [node.module or ""]
        case _:
            return []
