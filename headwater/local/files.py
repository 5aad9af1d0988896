"""Files that are whole or absent, and that only their owner can read."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
