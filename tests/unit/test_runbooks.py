"""Whoever is called by an alarm finds its runbook: every kind that the code raises is in the table."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from headwater.alarms import RUNBOOKS, runbook_of
from headwater.settings import REPOSITORY
from headwater.supervision.acting import Done

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGES = ("headwater", "spark_apps", "expectations")
TABLE = REPOSITORY / RUNBOOKS / "README.md"
ROW = re.compile(r"^\| ([^|]+) \| [^|]+ \| \[[^]]+\]\(([^)]+)\) \|$", re.MULTILINE)
# What raises an alarm, or says of what kind it will be: where the kind stands among the arguments.
RAISING = {"raise_alarm": 2, "Alarm": 0, "Trouble": 0}
RUNBOOK_OF_RAISING = 4
# These alarms are called like the check that failed: there are as many as there are checks.
CALLED_LIKE_CHECKS = REPOSITORY / "expectations/quality.py"


def raised_in(file: Path) -> Iterator[tuple[str | None, str]]:
    """Find the kinds of alarms in a file, None where one is not spelt there, and what to read about each."""
    module = ast.parse(file.read_text())
    spelt = _constants(module)
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call) and _name(node) in RAISING]
    named = [call.args[RUNBOOK_OF_RAISING] for call in calls if len(call.args) > RUNBOOK_OF_RAISING]
    for call in calls:
        kind = _text(_kind(call), spelt)
        page = _text(named[0], spelt) if named else runbook_of(kind or "")
        yield kind, page or ""


def _constants(module: ast.Module) -> dict[str, ast.expr]:
    """Return what a module gives names to."""
    found: dict[str, ast.expr] = {}
    for node in module.body:
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            values = value.elts if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) else [value]
            found |= {ast.unparse(name): one for name, one in zip(names, values, strict=False)}
    return found


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _kind(call: ast.Call) -> ast.expr:
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    return named["kind"] if "kind" in named else call.args[RAISING[_name(call)]]


def _text(expression: ast.expr, spelt: dict[str, ast.expr]) -> str | None:
    match spelt.get(ast.unparse(expression), expression):
        case ast.Constant(value=str(text)):
            return text
    return None


RAISED = {
    kind: page
    for package in PACKAGES
    for file in (REPOSITORY / package).rglob("*.py")
    for kind, page in raised_in(file)
    if kind is not None
}
LISTED = {kind: link for kinds, link in ROW.findall(TABLE.read_text()) for kind in kinds.split(", ")}
CHECKS = {kind for kind in LISTED if "(…)" in kind}


def test_table_lists_what_is_raised_and_nothing_else() -> None:
    assert {"crash loop", "retention", "changes lost", "topic recreated", "copy outdated"} <= RAISED.keys()
    assert LISTED.keys() - CHECKS == RAISED.keys(), f"bring {RUNBOOKS}/README.md in step"


@pytest.mark.parametrize("kind", sorted(RAISED))
def test_table_leads_to_the_page_that_the_alarm_names(kind: str) -> None:
    page = (TABLE.parent / LISTED[kind].partition("#")[0]).resolve()
    assert page == REPOSITORY / RAISED[kind]


def test_alarms_of_checks_are_in_the_table_by_the_look_of_them() -> None:
    ((kind, page),) = set(raised_in(CALLED_LIKE_CHECKS))
    assert kind is None
    assert CHECKS
    assert {(TABLE.parent / LISTED[check].partition("#")[0]).resolve() for check in CHECKS} == {
        REPOSITORY / page
    }


@pytest.mark.parametrize("link", sorted(set(LISTED.values())))
def test_link_leads_to_a_page_and_a_heading_of_it(link: str) -> None:
    path, _, heading = link.partition("#")
    lines = (TABLE.parent / path).read_text().splitlines()
    headings = {line.lstrip("# ").lower().replace(" ", "-") for line in lines if line[:1] == "#"}
    assert not heading or heading in headings


def test_who_calls_a_person_names_the_runbook() -> None:
    said = str(Done(app="traffic", action="give up", reason="it failed", runbook=runbook_of("crash loop")))
    assert said == 'app "traffic": give up, because it failed; see docs/runbooks/crash-loop.md'
    assert str(Done(app="traffic", action="submit", reason="it has no driver")).endswith("it has no driver")
