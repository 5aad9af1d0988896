"""Code in which a view was changed, as a person would change it, without touching the working tree."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

from headwater import artifacts
from headwater.registry import connect, releases
from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

    from headwater.settings import Settings

VIEW = "page_views_per_minute"
MORE = 1_000_000


def copy_code(target: Path) -> Path:
    for package in artifacts.APPS.packages:
        shutil.copytree(REPOSITORY / package, target / package)
    return target


def fix_view(source: Path, version: int = 2, budget: float = 1.0) -> None:
    """Raise the version, and let every row have a million more, so that it can be told from the old ones."""
    change(
        source / f"spark_apps/views/{VIEW}.py",
        r"version=\d+",
        f"version={version},\n    difference_budget={budget}",
    )
    change(
        source / f"spark_apps/views/{VIEW}.py", r"F\.count\(F\.lit\(1\)\)", f"(F.count(F.lit(1)) + {MORE})"
    )


def change(file: Path, pattern: str, replacement: str) -> None:
    changed, count = re.subn(pattern, lambda _: replacement, file.read_text(), count=1)
    assert count == 1, f"{file.name} has no {pattern}"
    file.write_text(changed)


def pack(settings: Settings, source: Path) -> str:
    """Pack the changed code and make it known; return its hash, which the form of a replay takes."""
    artifact = artifacts.pack(settings, source)
    with connect(settings) as registry:
        releases.register(registry, artifact, [])
    return artifact.hash
