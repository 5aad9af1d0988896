"""What figures were measured with: the code, by its content, and the machine, by what it can do.

Another commit with the same code gives the same figures, and a file that was only changed and not committed
gives others; so it is the content that counts.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

import psutil

from headwater.settings import REPOSITORY

PARTS = ("benchmarks", "headwater", "infra", "spark_apps", "requirements.txt")
SUFFIXES = {".py", ".yaml", ".sql", ".tf", ".tftpl", ".xml", ".conf", ".properties", ".txt"}
PROCESSOR = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)


@cache
def conditions() -> dict[str, str]:
    """Return code and machine."""
    return {"code": code_of(REPOSITORY), "machine": machine()}


def code_of(repository: Path) -> str:
    """Return a hash of all that may change a figure."""
    content = hashlib.sha256()
    for part in PARTS:
        for file in _files(repository / part):
            content.update(f"{file.relative_to(repository)}\n".encode())
            content.update(file.read_bytes())
    return content.hexdigest()[:16]


def machine(processors: Path = Path("/proc/cpuinfo")) -> str:
    """Return the machine's processor, cores and memory, but not its name."""
    found = PROCESSOR.search(processors.read_text())
    memory = round(psutil.virtual_memory().total / 1e9)
    return f"{found[1] if found else 'unknown processor'}, {psutil.cpu_count()} cores, {memory} GB"


def _files(place: Path) -> list[Path]:
    """Return the files of a part; what Terraform keeps for itself is none of ours."""
    if place.is_file():
        return [place]
    files = [file for file in place.rglob("*") if file.suffix in SUFFIXES and file.is_file()]
    return sorted(file for file in files if not _hidden(file.relative_to(place)))


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
