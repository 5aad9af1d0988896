"""The tables in the modules' READMEs say what variables.tf and outputs.tf say. REWRITE=1 writes them anew."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

INFRA = REPOSITORY / "infra"
MODULES = sorted(path.parent for path in INFRA.rglob("outputs.tf"))
GENERATED = re.compile(r"(?<=<!-- BEGIN_TF_DOCS -->\n).*(?=<!-- END_TF_DOCS -->)", re.DOTALL)
BLOCK = re.compile(r'^(?:variable|output) "(\w+)" \{\n(.*?)^\}', re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(INFRA)))
def test_readme_lists_every_variable_and_output(module: Path) -> None:
    readme = module / "README.md"
    expected = GENERATED.sub(lambda _: tables(module), readme.read_text())
    if os.environ.get("REWRITE"):
        readme.write_text(expected)
    assert readme.read_text() == expected, "run `REWRITE=1 pytest tests/infra/test_module_docs.py`"


def tables(module: Path) -> str:
    variables = [
        f"| `{name}` | {description(body)} | {default(body)} |\n"
        for name, body in BLOCK.findall((module / "variables.tf").read_text())
    ]
    outputs = [
        f"| `{name}` | {description(body)} |\n"
        for name, body in BLOCK.findall((module / "outputs.tf").read_text())
    ]
    return (
        f"\n| variable | what | default |\n|---|---|---|\n{''.join(variables)}"
        f"\n| output | what |\n|---|---|\n{''.join(outputs)}\n"
    )


def description(body: str) -> str:
    found = re.search(r'^  description\s*= "(.*)"$', body, re.MULTILINE)
    assert found, f"no description in: {body}"
    return found[1]


def default(body: str) -> str:
    found = re.search(r"^  default\s*= (.*)$", body, re.MULTILINE)
    return f"`{found[1]}`" if found else "required"
