"""Shelves: where packed code is kept, in a folder or in S3.

Code that is put there again is young again: who removes what is old looks at when it was last put.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from headwater.packing import Packed
    from headwater.settings import Settings

S3 = "s3://"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Packed code on a shelf."""

    hash: str
    size: int

    @property
    def name(self) -> str:
        """The file that it is kept in."""
        return f"{self.hash}.zip"


class Shelf(Protocol):
    """A place for packed code."""

    def put(self, packed: Packed) -> str:
        """Keep packed code, whole or not at all, and return where. The same again changes nothing."""
        ...

    def put_before(self, moment: datetime) -> list[Kept]:
        """Return what nobody has put there since."""
        ...

    def remove(self, kept: Kept) -> None:
        """Remove what nobody needs. Does nothing if it is gone."""
        ...


def shelf_of(settings: Settings) -> Shelf:
    """Return the shelf of an environment."""
    if settings.artifacts.startswith(S3):
        return FarShelf(settings.artifacts)
    return Folder(Path(settings.artifacts))


class Folder:
    """A shelf on this machine's disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, packed: Packed) -> str:
        """Write a file beside its place, then rename."""
        path = self._folder / f"{packed.hash}.zip"
        if path.exists():
            path.touch()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(f".{os.getpid()}")
            unfinished.write_bytes(packed.content)
            unfinished.rename(path)
        return str(path)

    def put_before(self, moment: datetime) -> list[Kept]:
        """Look at when files were written or touched."""
        found = [(path, path.stat()) for path in sorted(self._folder.glob("*.zip"))]
        return [
            Kept(hash=path.stem, size=seen.st_size)
            for path, seen in found
            if seen.st_mtime < moment.timestamp()
        ]

    def remove(self, kept: Kept) -> None:
        """Remove the file."""
        (self._folder / kept.name).unlink(missing_ok=True)


class FarShelf:
    """A shelf in S3: the code, and beside it the entry point that EMR runs."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._name, _, folder = address.removeprefix(S3).partition("/")
        self._folder = f"{folder}/" if folder else ""

    def put(self, packed: Packed) -> str:
        """Write both objects, the code last: where it is, the entry point is, too."""
        self._bucket.put_object(Key=f"{self._folder}{packed.hash}.py", Body=packed.entry_point.encode())
        self._bucket.put_object(Key=f"{self._folder}{packed.hash}.zip", Body=packed.content)
        return f"{self._address}/{packed.hash}.zip"

    def put_before(self, moment: datetime) -> list[Kept]:
        """Look at when objects were written."""
        return [
            Kept(hash=Path(found.key).stem, size=found.size)
            for found in self._bucket.objects.filter(Prefix=self._folder)
            if found.key.endswith(".zip") and found.last_modified < moment
        ]

    def remove(self, kept: Kept) -> None:
        """Remove both objects, the code first."""
        for name in (kept.name, f"{kept.hash}.py"):
            self._bucket.Object(f"{self._folder}{name}").delete()

    @cached_property
    def _bucket(self) -> Any:
        import boto3  # takes half a second: only who packs for AWS pays for it

        return boto3.resource("s3").Bucket(self._name)
