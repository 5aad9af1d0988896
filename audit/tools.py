"""The tools of the audit, in an environment of their own: they pin much that the platform needs otherwise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from headwater.settings import REPOSITORY

FOLDER = REPOSITORY / ".headwater/.audit-tools"
REQUIREMENTS = REPOSITORY / "requirements-audit.txt"


def install() -> None:
    """Make the environment as it is pinned; nothing happens if it is like that already."""
    uv = [Path(sys.executable).parent / "uv"]
    if not (FOLDER / "bin/python").exists():
        subprocess.run([*uv, "venv", "--quiet", FOLDER], check=True)
    sync = ["pip", "sync", "--quiet", "--require-hashes", "--python", FOLDER / "bin/python", REQUIREMENTS]
    subprocess.run([*uv, *sync], check=True)


def run(tool: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a tool and return what it said and how it ended."""
    command = [FOLDER / "bin" / tool, *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
