"""Words that mean something to a shell, to SQL or to a policy, where Terraform wants a name.

What a module is given ends in commands, policies, queries and names of files. So each variable that is a word
is given hostile ones, alone and behind a word that it takes. Terraform looks at them without any provider: of
a module only its variables are there.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from headwater.local.tools import terraform_environment
from headwater.settings import REPOSITORY
from tests.infra.test_module_form import UNCHECKED, VARIABLE, handed_on, is_checked, type_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INFRA = REPOSITORY / "infra"
MODULES = [*sorted(path.parent for path in INFRA.glob("modules/aws/*/main.tf")), INFRA / "environments/aws"]
HOSTILE = ["; id", "$(id)", "'; DROP TABLE x; --", '"', "\nb", "*", "/../../etc", "${7*7}", " ünïcödé"]
# Looked for on this machine: what is not there is refused, whatever it is called.
PLACES = {"dags", "requirements"}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(INFRA)))
def test_variable_that_is_a_word_takes_no_hostile_one(module: Path, tmp_path: Path) -> None:
    asked = list(runs(module))
    if not asked:
        pytest.skip("no variable of this module is a word")
    stub = variables_alone(module, tmp_path)
    (stub / "hostile.tftest.hcl").write_text("\n".join([given(module), *asked]))
    environment = terraform_environment() | {"TF_DATA_DIR": str(tmp_path / "data")}
    for command in ("init", "test"):
        done = subprocess.run(
            ["terraform", f"-chdir={stub}", command, "-no-color"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        failed = [line for line in done.stdout.splitlines() if line.strip().endswith("... fail")]
        assert done.returncode == 0, "\n".join(failed) or done.stdout + done.stderr


def variables_alone(module: Path, tmp_path: Path) -> Path:
    """Copy the variables of a module to a place from which the same files are found as from its own."""
    stub = tmp_path / module.relative_to(REPOSITORY)
    stub.mkdir(parents=True)
    shutil.copy(module / "variables.tf", stub)
    for name in ("dags", "requirements.txt"):
        (tmp_path / name).symlink_to(REPOSITORY / name)
    if not (tmp_path / "infra/environments").exists():
        (tmp_path / "infra/environments").symlink_to(INFRA / "environments")
    return stub


def given(module: Path) -> str:
    """Return the values that the module's own tests give to its variables."""
    (tests,) = (module / "tests").glob("*.tftest.hcl")
    (values,) = re.findall(r"^variables \{\n.*?^\}\n", tests.read_text(), re.DOTALL | re.MULTILINE)
    return str(values)


def runs(module: Path) -> Iterator[str]:
    """Write a run of Terraform's tests for each variable and each word."""
    for name, body in VARIABLE.findall((module / "variables.tf").read_text()):
        if type_of(body) != "string" or name in UNCHECKED.keys() | PLACES:
            continue
        if not is_checked(body) and handed_on(module, name):
            continue
        for number, word in enumerate(words(module, name, body)):
            yield (
                f'run "{name}_{number}" {{\n  command = plan\n'
                f"  variables {{ {name} = {in_hcl(word)} }}\n  expect_failures = [var.{name}]\n}}\n"
            )


def words(module: Path, name: str, body: str) -> Iterator[str]:
    yield from HOSTILE
    good = re.search(rf'^  {name}\s*= "([^"]*)"', given(module), re.MULTILINE)
    good = good or re.search(r'^  default\s*= "([^"]+)"', body, re.MULTILINE)
    assert good, f"the tests of {module.name} give no {name}"
    yield from (good[1] + word for word in HOSTILE)


def in_hcl(word: str) -> str:
    return json.dumps(word).replace("${", "$${").replace("%{", "%%{")
