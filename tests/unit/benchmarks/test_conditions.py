"""Conditions of figures: the same code on the same machine, and nothing that names either."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.conditions import code_of, conditions, machine
from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "spark_apps" / "views").mkdir(parents=True)
    (tmp_path / "spark_apps" / "views" / "carts.py").write_text("VERSION = 1")
    (tmp_path / "infra").mkdir()
    (tmp_path / "infra" / "main.tf").write_text("# workers")
    return tmp_path


@pytest.mark.parametrize("changed", ["spark_apps/views/carts.py", "infra/main.tf", "requirements.txt"])
def test_code_that_changes_is_other_code(repository: Path, changed: str) -> None:
    before = code_of(repository)
    (repository / changed).write_text("other")
    assert code_of(repository) != before


@pytest.mark.parametrize("beside", ["README.md", "infra/.terraform/modules.tf", "spark_apps/carts.pyc"])
def test_what_is_no_code_does_not_count(repository: Path, beside: str) -> None:
    before = code_of(repository)
    (repository / beside).parent.mkdir(exist_ok=True)
    (repository / beside).write_text("other")
    assert code_of(repository) == before


def test_machine_is_told_by_what_it_can_do(tmp_path: Path) -> None:
    processors = tmp_path / "cpuinfo"
    processors.write_text("processor\t: 0\nmodel name\t: Abacus 9\nflags\t: fpu\n\nprocessor\t: 1\n")
    assert machine(processors).startswith("Abacus 9, ")


def test_conditions_are_code_and_machine() -> None:
    assert conditions() == {"code": code_of(REPOSITORY), "machine": machine()}
