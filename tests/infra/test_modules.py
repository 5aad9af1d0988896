"""Terraform's own tests: what each module renders and what it refuses. Plans only, nothing is started."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from headwater.local.tools import terraform_environment
from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

INFRA = REPOSITORY / "infra"
MODULES = sorted(path.parent.parent for path in INFRA.rglob("*.tftest.hcl"))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(INFRA)))
def test_module_renders_and_refuses_what_it_should(module: Path, tmp_path: Path) -> None:
    terraform(module, tmp_path, "init", "-backend=false", "-input=false")
    terraform(module, tmp_path, "validate")
    terraform(module, tmp_path, "test")


def test_every_module_has_tests() -> None:
    modules = {path.parent for path in INFRA.rglob("main.tf")}
    assert modules == set(MODULES)


def terraform(module: Path, data: Path, *arguments: str) -> None:
    environment = terraform_environment() | {"TF_DATA_DIR": str(data)}
    command = ["terraform", f"-chdir={module}", *arguments, "-no-color"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
