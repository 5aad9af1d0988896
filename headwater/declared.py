"""What the views' files declare, read without running them.

Whoever must not import Spark (a DAG that offers the views in a form, the first look at a person's request)
learns names from here. A view is a file in `spark_apps/views` with a `VIEW = View(…)`; only what stands there
literally is read, and the whole declaration is checked by `spark_apps.catalog`.
"""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from headwater.errors import Refusal
from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FOLDER = REPOSITORY / "spark_apps/views"
INSIDE_A_TYPE = re.compile(r"\([^()<>]*\)|<[^()<>]*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A view as its file introduces it."""

    name: str
    app: str
    summary: str
    keys: Mapping[str, str] = field(default_factory=dict)  # with their types, as SQL writes them


def columns_in(schema: str) -> dict[str, str]:
    """Return the columns of a schema, with their types; without what stands inside a type."""
    flat = schema
    while (simpler := INSIDE_A_TYPE.sub("", flat)) != flat:
        flat = simpler
    words = [column.split() for column in flat.split(",") if column.strip()]
    return {name: " ".join(kind) for name, *kind in words}


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
            if {"name", "app"} <= words.keys():
                return Declared(name=words["name"], app=words["app"], summary=summary, keys=_keys(words))
    raise Refusal(
        f"{file.name} declares no view",
        detail="It has no `VIEW = View(…)` with a name and an app as plain text.",
        hint="See docs/add-a-view.md.",
    )


def _keys(words: Mapping[str, Any]) -> dict[str, str]:
    columns = columns_in(words.get("schema", ""))
    return {key: columns[key] for key in words.get("keys", ()) if key in columns}


def _literals(call: ast.expr) -> dict[str, Any]:
    """Return the keyword arguments of a call that are plain text, or lists of it."""
    keywords = call.keywords if isinstance(call, ast.Call) else []
    found = {}
    for word in keywords:
        with suppress(ValueError):  # what has to be computed is not read here
            found[str(word.arg)] = ast.literal_eval(word.value)
    return found
