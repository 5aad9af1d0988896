"""The form of the Terraform code: five files a module, checked variables, exceptions with a reason."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from headwater.local.tools import terraform_environment
from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

INFRA = REPOSITORY / "infra"
MODULES = sorted(path.parent for path in INFRA.rglob("main.tf"))
FIVE = {"main.tf", "variables.tf", "outputs.tf", "versions.tf", "README.md"}
VARIABLE = re.compile(r'^variable "(\w+)" \{\n(.*?)^\}', re.DOTALL | re.MULTILINE)
MODULE = re.compile(r'^module "\w+" \{\n  source = "\.\./\.\./(.*?)"\n(.*?)^\}', re.DOTALL | re.MULTILINE)
SKIP = re.compile(r"#checkov:skip=(\w+):? ?(.*)")
# What nobody could get wrong, or what is asked elsewhere; all others are checked where they are declared.
UNCHECKED = {
    "tags": "words for people: AWS itself says which it does not take",
    "instance": "made by modules/local/instance, which checks what it is made of",
    "facts": "what a part tells itself: headwater/local/kinds reads it",
    "repository": "where this code is; given by the environment, not by a person",
    "python": "a precondition, or the first call, says whether it is there",
}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(INFRA)))
def test_module_has_its_five_files_and_tests(module: Path) -> None:
    assert {path.name for path in module.iterdir() if path.is_file()} >= FIVE
    assert {path.name for path in module.glob("*.tf")} <= FIVE
    assert list((module / "tests").glob("*.tftest.hcl"))


def test_code_is_in_shape() -> None:
    command = ["terraform", "fmt", "-check", "-recursive", str(INFRA)]
    done = subprocess.run(command, env=terraform_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run `terraform fmt -recursive infra`: {done.stdout}{done.stderr}"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(INFRA)))
def test_every_variable_has_a_type_and_is_checked(module: Path) -> None:
    for name, body in VARIABLE.findall((module / "variables.tf").read_text()):
        assert re.search(r"^  type\s+= ", body, re.MULTILINE), f"{name} has no type"
        assert not re.search(r"\bany\b", type_of(body)), f"{name} may be anything"
        assert is_checked(body) or name in UNCHECKED or handed_on(module, name), f"{name} is not checked"


def test_every_exemption_is_needed() -> None:
    bodies = [
        (name, body)
        for module in MODULES
        for name, body in VARIABLE.findall((module / "variables.tf").read_text())
    ]
    assert set(UNCHECKED) <= {name for name, body in bodies if not is_checked(body)}


def test_every_exception_of_the_scanner_has_a_reason_of_its_own() -> None:
    found = [skip for path in INFRA.rglob("*.tf") for skip in SKIP.findall(path.read_text())]
    assert found
    reasons = Counter(reason for _, reason in found)
    for check, reason in found:
        assert len(reason.split()) >= 6, f"{check}: say why, in a sentence"
        assert reasons[reason] == 1, f"{check} has the reason of another"


def is_checked(body: str) -> bool:
    """Say whether a variable is validated; of a truth value there is nothing to validate."""
    return "\n  validation {" in body or type_of(body).startswith("bool")


def type_of(body: str) -> str:
    found = re.search(
        r"^  type\s+= (.*?)(?=^  (?:default|sensitive|nullable|validation)\b|\Z)",
        body,
        re.DOTALL | re.MULTILINE,
    )
    return found[1].strip() if found else ""


def handed_on(environment: Path, name: str) -> bool:
    """Say whether a variable of an environment is given as it is to a module that checks it."""
    if environment.parent.name != "environments":
        return False
    for source, body in MODULE.findall((environment / "main.tf").read_text()):
        inner = dict(VARIABLE.findall((INFRA / source / "variables.tf").read_text()))
        given = re.findall(rf"^  (\w+)\s+= var\.{name}$", body, re.MULTILINE)
        if any(is_checked(inner[variable]) for variable in given):
            return True
    return False
