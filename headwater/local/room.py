"""Where a start will write, and whether it can: the instance, and the places where downloads land.

Only what is still to be made counts: an environment that is there, or JVM parts that are, need no room.
Standard library only, because it runs before the Python environment exists.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.local import python_environment
from headwater.local.jvm import jvm_folder
from headwater.local.variables import remembered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GIGABYTE = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A folder that will be written to, the gigabytes that this takes, and the variable that moves it."""

    what: str
    folder: Path
    needed: float
    variable: str = ""


def instance(home: Path) -> Place:
    """Return the place of an instance: data to play with, or a little more of it."""
    needed = 1.0 if remembered(home) else 2.0
    return Place(what="the instance", folder=home, needed=needed, variable="HEADWATER_DATA")


def environment() -> list[Place]:
    """Return where the Python environment comes, and its downloads; nothing if it is there."""
    if python_environment.is_current():
        return []
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    downloads = Path(os.environ.get("UV_CACHE_DIR") or caches / "uv")
    return [
        Place(what="the Python environment", folder=python_environment.VENV, needed=2.0),
        Place(what="Python packages", folder=downloads, needed=2.0, variable="UV_CACHE_DIR"),
    ]


def jvm_parts() -> list[Place]:
    """Return where the JVM parts come; nothing if they are there."""
    folder = jvm_folder()
    if folder.exists():
        return []
    return [Place(what="the JVM parts", folder=folder.parent, needed=0.5, variable="HEADWATER_CACHE")]


def check(places: Sequence[Place]) -> None:
    """Refuse places that cannot be written to, and disks that will be full before long."""
    for place in places:
        check_writable(place)
    for on_one_disk in _by_disk(places):
        check_disk(on_one_disk)


def check_writable(place: Place) -> None:
    """Refuse a folder we cannot write to; make it if it does not exist."""
    try:
        place.folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=place.folder).close()
    except OSError as error:
        where = f"name another place with {place.variable}" if place.variable else "clone to another place"
        raise Refusal(
            f"{place.folder} cannot be written to",
            detail=f"{place.what[0].upper()}{place.what[1:]} would come there. {error.strerror}.",
            hint=f"Give yourself permission, or {where}.",
        ) from None


def check_disk(places: Sequence[Place]) -> None:
    """Refuse a disk without room for all that comes onto it."""
    chosen = os.environ.get("HEADWATER_MIN_FREE_GB")
    needed = float(chosen) if chosen else sum(place.needed for place in places)
    free = shutil.disk_usage(places[0].folder).free / GIGABYTE
    if free >= needed:
        return
    parts = ", ".join(f"{place.what} in {place.folder}" for place in places)
    variables = " or ".join(place.variable for place in places if place.variable)
    elsewhere = f", choose another place with {variables}" if variables else ""
    raise Refusal(
        "the disk is nearly full",
        detail=f"It has {free:.1f} GB free, and {needed:g} GB are needed for {parts}.",
        hint=f"Make room{elsewhere}, or ask for less with HEADWATER_MIN_FREE_GB.",
    )


def _by_disk(places: Iterable[Place]) -> list[list[Place]]:
    disks: dict[int, list[Place]] = {}
    for place in places:
        disks.setdefault(place.folder.stat().st_dev, []).append(place)
    return list(disks.values())
