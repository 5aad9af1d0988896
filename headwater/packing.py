"""Packing: our own code as one zip with an entry point, named by its content.

The same code gives the same bytes and the same name, whoever packs it and when.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUFFIXES = (".py", ".yaml", ".sql", ".j2", ".css")
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first moment a zip file can tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What is packed together, and the few lines that begin it."""

    packages: tuple[str, ...]
    entry_point: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A program, packed. `python` runs the zip itself; EMR runs the entry point, beside it."""

    hash: str
    content: bytes
    entry_point: str


def pack(program: Program, source: Path = REPOSITORY) -> Packed:
    """Pack the packages of a program below `source`."""
    content = _zip(program, source)
    name = hashlib.sha256(content).hexdigest()[:16]
    return Packed(hash=name, content=content, entry_point=program.entry_point)


def _zip(program: Program, source: Path) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py", LONG_AGO), program.entry_point)
        for file in _files(program, source):
            name = file.relative_to(source).as_posix()
            archive.writestr(zipfile.ZipInfo(name, LONG_AGO), file.read_bytes(), zipfile.ZIP_DEFLATED)
    return content.getvalue()


def _files(program: Program, source: Path) -> Iterator[Path]:
    for package in program.packages:
        yield from sorted(file for file in (source / package).rglob("*") if file.suffix in SUFFIXES)
