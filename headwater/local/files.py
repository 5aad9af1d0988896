"""Files that are whole or absent, or private, and locks by which processes wait for each other."""

from __future__ import annotations

import fcntl
import os
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


@contextmanager
def one_at_a_time(lock: Path) -> Iterator[None]:
    """Let one process at a time do what is in the block; the others wait."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
