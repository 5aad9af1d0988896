"""What MWAA installs for tasks: packages beside its own Airflow, and our own as a wheel."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

from headwater import artifacts, jobs, packing
from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE = REPOSITORY / "infra/environments/aws/airflow-requirements.txt"
OURS = {"headwater", "spark_apps", "expectations"}
# What is there before anything is installed, by the names that code imports it by.
BROUGHT_BY_MWAA = {
    "boto3",
    "botocore",
    "cryptography",
    "jwt",
    "pydantic",
    "pydantic_core",
    "rich",
    "typer",
    "yaml",
}
PACKAGES = {"kafka": "kafka-python", "py4j": "pyspark", "pyarrow": "pyiceberg"}  # by what is imported of them


def requirements(file: Path) -> dict[str, str]:
    """Return what a file asks for, by the name of the package: all of its line but comments."""
    lines = [line.partition(" #")[0].strip() for line in file.read_text().splitlines()]
    return {re.split(r"[\[=<>]", line)[0]: line for line in lines if line and not line.startswith("#")}


def imported(room: str) -> Iterator[str]:
    """Name what the modules of a room import, wherever they do."""
    for file in (REPOSITORY / room).rglob("*.py"):
        if (REPOSITORY / "headwater/local") in file.parents:  # of the local environment alone
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.Import(names=names):
                    yield from (name.name for name in names)
                case ast.ImportFrom(module=str(module)):
                    yield module


def test_packages_have_the_versions_that_everything_is_tested_with() -> None:
    asked, pinned = requirements(FILE), requirements(REPOSITORY / "requirements.in")
    assert asked.pop("headwater") == "headwater"
    assert asked
    assert asked == {name: pinned[name] for name in asked}


def test_every_package_that_tasks_import_is_asked_for_or_brought_by_mwaa() -> None:
    """The code of apps is imported, too: what is deployed is asked for its views before it is."""
    modules = {name.split(".")[0] for room in ("headwater", "spark_apps") for name in imported(room)}
    foreign = modules - OURS - BROUGHT_BY_MWAA - set(sys.stdlib_module_names)
    assert {"kafka", "pyiceberg", "pyspark"} <= foreign
    assert {PACKAGES.get(name, name) for name in foreign} <= requirements(FILE).keys()


def test_wheel_holds_all_that_is_packed_for_apps_and_jobs(tmp_path: Path) -> None:
    """On MWAA code is packed from where the wheel was installed, and must come to the same bytes."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=REPOSITORY, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    for program in (artifacts.APPS, jobs.JOBS):
        assert packing.pack(program, tmp_path / "installed").hash == packing.pack(program).hash
