"""Figures of measurements: a file for each benchmark, in which a figure stays until it is measured again.

All figures of a file are of the same code on the same machine, which it says. The first one that is of others
takes the place of all: beside it, they would compare what nobody has measured together.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.conditions import conditions

if TYPE_CHECKING:
    from collections.abc import Mapping

    Figure = Mapping[str, Any]

FOLDER = Path(os.environ.get("FIGURES", "docs/figures"))


def kept(benchmark: str) -> list[dict[str, Any]]:
    """Return the figures of a benchmark that this code has on this machine."""
    path = _path(benchmark)
    file = json.loads(path.read_text()) if path.exists() else {}
    return list(file["figures"]) if file.get("conditions") == conditions() else []


def keep(benchmark: str, figure: Figure, *identity: str) -> None:
    """Keep a figure, in place of the one that has the same in these fields."""
    figures = {_identity(each, identity): each for each in kept(benchmark)}
    figures[_identity(figure, identity)] = dict(figure)
    path = _path(benchmark)
    path.parent.mkdir(parents=True, exist_ok=True)
    told = {"conditions": conditions(), "figures": list(figures.values())}
    path.write_text(json.dumps(told, indent=1) + "\n")


def _identity(figure: Figure, fields: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(figure[field] for field in fields)


def _path(benchmark: str) -> Path:
    return FOLDER / f"{benchmark}.json"
