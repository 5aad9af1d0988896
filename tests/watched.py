"""What hostile input must not bring about: acts, and files that are neither code nor of the home.

Python itself tells of both, as audit events.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from headwater.settings import REPOSITORY

ACTS = {
    "socket.connect",
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "shutil.rmtree",
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Code is read while a command runs, and the zones of time; nothing else is, least of all an instance's data.
CODE = [REPOSITORY / room for room in ("headwater", "spark_apps", "expectations", "dags", "tests")]
READ = [*CODE, *map(Path, (*sys.path, sys.prefix, sys.base_prefix, "/usr/share/zoneinfo"))]


def forbidden(event: str, details: tuple[Any, ...], home: Path) -> str | None:
    """Return in words what was done that should not have been; None if nothing was."""
    if event in ACTS:
        return f"{event} {details}"
    if event != "open" or isinstance(details[0], int):  # a file that is open already
        return None
    path, mode, flags = Path(os.fsdecode(details[0])), str(details[1] or "r"), int(details[2] or 0)
    if flags & WRITING or set(mode) & set("wax+"):
        return f"write {path}"
    return None if _may_be_read(path, home) else f"read {path}"


def _may_be_read(path: Path, home: Path) -> bool:
    """Say whether a file is code, or of the home. Data of the repository is neither; `..` leads nowhere."""
    whole = Path(os.path.normpath(Path.cwd() / path))
    roots = [root for root in (home, *READ) if root != REPOSITORY]
    return any(whole.is_relative_to(root) for root in roots)
