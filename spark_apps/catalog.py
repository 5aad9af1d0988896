"""The views there are: found by folder, so that adding one edits no list."""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import pkgutil
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

import spark_apps.views
from headwater.errors import Refusal
from spark_apps.view import View

if TYPE_CHECKING:
    from types import ModuleType

# What a version of a view computes; everything else about a view may change without a new version.
LOGIC = (
    *("inputs", "tables", "schema", "keys", "mode", "prefers", "publishes"),
    *("clock", "lateness", "late", "repeats"),
)
LOGIC_OF_TABLES = ("unit", "touches")
LOGIC_IF_SAID = ("farewells",)  # came later: a view that does not say it has not changed


@cache
def views() -> dict[str, View]:
    """Return all views by name."""
    found = [_view(module) for module in _modules()]
    return {view.name: view for view in found}


def view(name: str) -> View:
    """Return one view, or say which there are."""
    if name not in views():
        raise Refusal(f'there is no view "{name}"', detail=f"Views: {', '.join(sorted(views()))}.")
    return views()[name]


def manifest() -> dict[str, Any]:
    """Describe all views in plain data, for whoever must not import Spark."""
    return {name: describe(view) for name, view in views().items()}


def summary(view: View) -> str:
    """Return the first line of what a view says of itself."""
    return (inspect.getdoc(inspect.getmodule(view.transform)) or "").split("\n")[0]


def fingerprint(view: View) -> str:
    """Return a hash of what the view computes."""
    return _hash("\n".join(f"{part}={value}" for part, value in sorted(logic(view).items())))


def logic(view: View) -> dict[str, str]:
    """Return what the view computes, part by part: its module's code and the logic of its declaration.

    Comments, docstrings, checks, owner and the like do not count.
    """
    module = inspect.getmodule(view.transform)
    if module is None:
        raise LookupError(f'the transform of view "{view.name}" is in no module')
    tree = ast.parse(inspect.getsource(module))
    statements = [node for node in tree.body if not _is_declaration(node)]
    code = {_title(node): _hash(ast.dump(_without_docstring(node))) for node in statements}
    said = [field for field in LOGIC_IF_SAID if getattr(view, field)]
    declared = (*LOGIC, *LOGIC_OF_TABLES, *said) if view.of_tables else LOGIC
    return code | {field: repr(getattr(view, field)) for field in declared}


def _title(node: ast.stmt) -> str:
    """Return what to call a statement when it has changed: `transform()`, `MINUTES`, or how it begins."""
    match node:
        case ast.FunctionDef(name=name):
            return f"{name}()"
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case _:
            return ast.unparse(node).split("\n")[0]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def describe(view: View) -> dict[str, Any]:
    """Describe one view in plain data."""
    return {
        "version": view.version,
        "app": view.app,
        "owner": view.owner,
        "inputs": view.inputs,
        "tables": view.tables,
        "fingerprint": fingerprint(view),
        "logic": logic(view),
        "publishes": view.publishes.topic if view.publishes else None,
        "mode": view.mode,
        "output": view.output,
        "keys": view.keys,
        "schema": view.schema,
        "clock": view.clock,
        "time": view.time,
        "window_seconds": view.window.total_seconds(),
        "look_back_seconds": view.look_back.total_seconds(),
        "closing": view.closing,
        "uncut": view.cannot_be_cut,
        "lateness_seconds": view.lateness.total_seconds(),
        "late": view.late,
        "leaves_out_late": view.leaves_out_late,
        "settles_seconds": None if view.settles is None else view.settles.total_seconds(),
        "remembers_seconds": view.remembers.total_seconds(),
        "freshness_seconds": view.freshness.total_seconds(),
        "checks": [asdict(check) for check in view.checks],
        "difference_budget": view.difference_budget,
        "uncompared": view.uncompared,
        "summary": summary(view),
    }


def _modules() -> list[ModuleType]:
    package = spark_apps.views
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."))
    return [importlib.import_module(name) for name in names]


def _view(module: ModuleType) -> View:
    declared = getattr(module, "VIEW", None)
    if not isinstance(declared, View):
        raise Refusal(f"{module.__name__} declares no view", hint="Give it a `VIEW = View(…)`.")
    if declared.name != module.__name__.rsplit(".", 1)[-1]:
        raise Refusal(
            f'{module.__name__} declares view "{declared.name}"', hint="Name the file like its view."
        )
    return declared


def _is_declaration(node: ast.stmt) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    is_view = any(isinstance(target, ast.Name) and target.id == "VIEW" for target in targets)
    return is_view or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _without_docstring(node: ast.stmt) -> ast.stmt:
    if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
        node.body = node.body[1:] or [ast.Pass()]
    return node
