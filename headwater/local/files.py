"""Files that are whole or absent, or private, archives, and locks by which processes wait for each other."""

from __future__ import annotations

import fcntl
import os
import tarfile
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from headwater.local.users import User


def write_private(path: Path, content: str, owner: User | None = None) -> None:
    """Write a file of mode 0600 in one step: readers see the old content or the new, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(descriptor, "w") as file:
        file.write(content)
    if owner:
        os.chown(temporary, owner.uid, owner.gid)
    os.replace(temporary, path)


def unpack(archive: tarfile.TarFile, target: Path) -> None:
    """Unpack an archive whose checksum was verified: its files are ours, and nobody else may write them."""
    if hasattr(tarfile, "data_filter"):
        archive.extractall(target, filter="data")
    else:  # Python before 3.11.4, as Debian 12 has it
        archive.extractall(target, members=_ours(archive))


def _ours(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for member in archive:
        member.uid, member.gid, member.uname, member.gname = os.getuid(), os.getgid(), "", ""
        member.mode &= 0o755
        yield member


@contextmanager
def one_at_a_time(lock: Path) -> Iterator[None]:
    """Let one process at a time do what is in the block; the others wait."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
