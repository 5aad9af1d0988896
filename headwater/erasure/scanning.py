"""The scan: all files of the instance, looked through for a person's words."""

from __future__ import annotations

import os
import time
import zlib
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import pyarrow as pa

from headwater.erasure.unpacking import is_opaque, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# A file that is being written, or only looks like one of a known kind, is looked at as it is.
UNREADABLE = (pa.ArrowException, OSError, EOFError, ValueError, IndexError, BadZipFile, zlib.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What was looked at, and where something was found; never what."""

    files: int
    bytes: int
    unpacked: int
    opaque: int
    texts: int
    seconds: float
    found: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.found

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        looked = f"{self.files:,} files ({self.bytes / 1e6:,.0f} MB, {self.unpacked:,} unpacked"
        opaque = f", {self.opaque:,} that cannot be looked into" if self.opaque else ""
        verdict = "nothing was found" if self.clean else f"found in {len(self.found):,} of them"
        return f"{looked}{opaque}) looked through for {self.texts:,} texts: {verdict}"


def scan(home: Path, needles: Sequence[bytes]) -> Scan:
    """Look for needles in every file below a folder."""
    began = time.monotonic()
    files = size = unpacked = opaque = 0
    found = []
    for path in _files(home):
        try:
            content = _read(path)
        except FileNotFoundError:  # removed meanwhile: then it holds nothing
            continue
        inside, readable = _inside(path.name, content)
        files, size = files + 1, size + len(content)
        unpacked, opaque = unpacked + bool(inside), opaque + (not readable)
        if _holds((content, *inside), needles):
            found.append(str(path.relative_to(home)))
    return Scan(
        files=files,
        bytes=size,
        unpacked=unpacked,
        opaque=opaque,
        texts=len(needles),
        seconds=round(time.monotonic() - began, 1),
        found=tuple(sorted(found)),
    )


def file_holds(path: Path, needles: Sequence[bytes]) -> bool:
    """Say whether a file holds any of the needles."""
    return holds(path.name, _read(path), needles)


def holds(name: str, content: bytes, needles: Sequence[bytes]) -> bool:
    """Say whether the content of a file holds any of the needles."""
    inside, _readable = _inside(name, content)
    return _holds((content, *inside), needles)


def _read(path: Path) -> bytes:
    """Return what a file holds, without its holes: Kafka reserves megabytes for indexes of a few bytes."""
    with path.open("rb") as file:
        place, pieces = 0, []
        with suppress(OSError):  # behind the last piece there is nothing but a hole
            while True:
                start = os.lseek(file.fileno(), place, os.SEEK_DATA)
                place = os.lseek(file.fileno(), start, os.SEEK_HOLE)
                pieces.append(os.pread(file.fileno(), place - start, start))
    return b"".join(pieces)


def _inside(name: str, content: bytes) -> tuple[list[bytes], bool]:
    """Return what could be unpacked of a file, and whether that was all."""
    pieces = []
    try:
        for piece in unpack(name, content):
            pieces.append(bytes(piece))
        return pieces, not is_opaque(name, content)
    except UNREADABLE:
        return pieces, False


def _holds(pieces: Iterable[bytes], needles: Sequence[bytes]) -> bool:
    return any(needle in piece for piece in pieces for needle in needles)


def _files(home: Path) -> Iterator[Path]:
    """Yield the files below a folder; links lead elsewhere, and are not followed."""
    for folder, _folders, names in os.walk(home):
        for path in (Path(folder, name) for name in names):
            if path.is_file() and not path.is_symlink():
                yield path
