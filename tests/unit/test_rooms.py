"""The rooms keep their doors: who may import whom, and who may touch Kafka, tables and Spark's settings."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
FORBIDDEN = {
    "headwater": {"pyspark", "airflow", "great_expectations", "spark_apps", "dags", "expectations"},
    "spark_apps": {"airflow", "great_expectations", "dags", "expectations"},
    "expectations": {"airflow", "dags"},
}
# What may stand in one file of spark_apps only, and nowhere in expectations.
ONE_PLACE = {
    'format("kafka")': "kafka_log.py",
    "SparkSession.builder": "session.py",
    "MERGE INTO": "sinks.py",
    ".writeTo(": "sinks.py",
    "_jvm": "internals.py",
    "from_json": "decode.py",
}


def imports(file: Path) -> Iterator[str]:
    """Yield the top-level packages that a file imports at run time or for types alike."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("room", FORBIDDEN)
def test_imports_point_one_way(room: str) -> None:
    wrong = {
        f"{file.relative_to(ROOT)} imports {package}"
        for file in (ROOT / room).rglob("*.py")
        for package in imports(file)
        if package in FORBIDDEN[room]
    }
    assert not wrong


@pytest.mark.parametrize("words", ONE_PLACE)
def test_one_place_for(words: str) -> None:
    rooms = (ROOT / "spark_apps", ROOT / "expectations")
    files = [file for room in rooms for file in room.rglob("*.py") if words in file.read_text()]
    assert {f"{file.parent.name}/{file.name}" for file in files} == {f"spark_apps/{ONE_PLACE[words]}"}
