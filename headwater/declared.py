"""What the views' files declare, read without running them.

Whoever must not import Spark (a DAG that offers the views in a form, the first look at a person's request)
learns names from here. A view is a file in `spark_apps/views` with a `VIEW = View(…)`; only what stands there
literally is read, and the whole declaration is checked by `spark_apps.catalog`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = REPOSITORY / "spark_apps/views"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A view as its file introduces it."""

    name: str
    app: str
    summary: str


@cache
def views(folder: Path = FOLDER) -> dict[str, Declared]:
    """Return the declared views by name, in the order of their names."""
    found = [_read(file) for file in sorted(folder.glob("[a-z]*.py"))]
    return {view.name: view for view in found}


def apps(folder: Path = FOLDER) -> list[str]:
    """Return the names of the apps that keep the views up to date."""
    return sorted({view.app for view in views(folder).values()})


def _read(file: Path) -> Declared:
    module = ast.parse(file.read_text())
    summary = (ast.get_docstring(module) or "").partition("\n")[0]
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "VIEW":
            words = _literals(node.value)
            if "name" in words and "app" in words:
                return Declared(name=words["name"], app=words["app"], summary=summary)
    raise Refusal(
        f"{file.name} declares no view",
        detail="It has no `VIEW = View(…)` with a name and an app as plain text.",
        hint="See docs/add-a-view.md.",
    )


def _literals(call: ast.expr) -> dict[str, str]:
    """Return the keyword arguments of a call that are plain text."""
    keywords = call.keywords if isinstance(call, ast.Call) else []
    return {
        word.arg: word.value.value
        for word in keywords
        if word.arg and isinstance(word.value, ast.Constant) and isinstance(word.value.value, str)
    }
