"""Terraform's own tests: what each module renders and refuses. Nothing is started, nothing downloaded."""

from __future__ import annotations

import subprocess
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from headwater.settings import REPOSITORY
from tests.infra import providers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INFRA = REPOSITORY / "infra"
MODULES = sorted(path.parent.parent for path in INFRA.rglob("*.tftest.hcl"))
Tested = dict["Path", Future[None]]


@pytest.fixture(scope="module")
def tested(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tested]:
    """Test all modules, two at a time: loading the provider of AWS takes a second for each step."""
    with ThreadPoolExecutor(2) as pool:
        here = [module for module in MODULES if providers.mirror() or not providers.needs_provider(module)]
        yield {module: pool.submit(check, module, tmp_path_factory.mktemp("data")) for module in here}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(INFRA)))
def test_module_renders_and_refuses_what_it_should(module: Path, tested: Tested) -> None:
    if module not in tested:
        pytest.skip(providers.NOT_RUN)
    tested[module].result()


def test_every_module_has_tests() -> None:
    modules = {path.parent for path in INFRA.rglob("main.tf")}
    assert modules == set(MODULES)


def check(module: Path, data: Path) -> None:
    terraform(module, data, "init", "-backend=false", "-input=false")
    if (
        module.parent.name == "environments"
    ):  # with all their modules; each load of the provider takes seconds
        terraform(module, data, "validate")
    terraform(module, data, "test")


def terraform(module: Path, data: Path, *arguments: str) -> None:
    command = ["terraform", f"-chdir={module}", *arguments, "-no-color"]
    done = subprocess.run(
        command, env=providers.environment(data), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
