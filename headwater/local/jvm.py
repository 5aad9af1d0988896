"""The JVM parts: resolved by the Ivy inside PySpark, checked against pinned checksums, kept in a cache.

The cache is outside the checkout, a folder per content of `infra/jvm`: two checkouts share it, and a changed
pin gets a folder of its own. It is filled beside its place and renamed, so it is whole or absent.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from headwater.errors import Refusal
from headwater.local.files import one_at_a_time
from headwater.local.tools import find_java
from headwater.settings import REPOSITORY

IVY_FILE = REPOSITORY / "infra/jvm/ivy.xml"
CHECKSUMS = REPOSITORY / "infra/jvm/checksums.txt"
ATTEMPTS = 3
PATTERN = "[conf]/[artifact]-[revision](-[classifier]).[ext]"


def cache_folder() -> Path:
    """Return where downloads are kept: HEADWATER_CACHE, or `headwater` in the user's cache folder."""
    if chosen := os.environ.get("HEADWATER_CACHE"):
        return Path(chosen).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headwater"


def jvm_folder() -> Path:
    """Return the folder of the JVM parts that this checkout pins, whether it exists or not."""
    pins = hashlib.sha256(IVY_FILE.read_bytes() + CHECKSUMS.read_bytes()).hexdigest()
    return cache_folder() / "jvm" / pins[:16]


def resolve_jvm_parts() -> Path:
    """Return the folder of the JVM parts; download and check them first if need be."""
    folder = jvm_folder()
    if folder.exists():
        return folder
    with one_at_a_time(folder.parent / "lock"):  # two that fill Ivy's cache at once spoil it for each other
        if not folder.exists():
            _download(folder)
    return folder


def spark_home() -> Path:
    """Return the Spark inside PySpark. The module is found, not imported: importing takes a second."""
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        raise Refusal("PySpark is not installed", hint="Run `make setup`.")
    return Path(found.origin).parent


def checksums_of(folder: Path) -> str:
    """Return a line per file, as `sha256sum` writes it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return "".join(f"{_sha256(path)}  {path.relative_to(folder)}\n" for path in files)


def write_checksums() -> None:
    """Pin what Ivy resolves now. Part of `make lock`: look at the difference before it is committed."""
    with tempfile.TemporaryDirectory() as temporary:
        _run_ivy(Path(temporary))
        CHECKSUMS.write_text(checksums_of(Path(temporary)))


def _download(folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".resolving-") as temporary:
        resolved = Path(temporary) / "parts"
        _run_ivy(resolved)
        _compare(CHECKSUMS.read_text(), checksums_of(resolved))
        resolved.rename(folder)


def _run_ivy(target: Path) -> None:
    ivy = next((spark_home() / "jars").glob("ivy-*.jar"))
    command = [
        find_java() or "java",
        "-jar",
        str(ivy),
        "-ivy",
        str(IVY_FILE),
        "-cache",
        str(cache_folder() / "ivy"),
    ]
    command += ["-warn", "-retrieve", f"{target}/{PATTERN}"]
    for attempt in range(1, ATTEMPTS + 1):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        if attempt < ATTEMPTS:  # what has come is kept; a hundred downloads seldom all go well
            print("JVM parts: some did not come, asking once more", flush=True)
    raise Refusal(
        "the JVM parts could not be downloaded",
        detail=_last_lines(done.stdout + done.stderr),
        hint="Check the connection (Java takes a proxy from JAVA_TOOL_OPTIONS) and run again.",
    )


def _compare(pinned: str, found: str) -> None:
    differences = sorted(set(pinned.splitlines()) ^ set(found.splitlines()))
    if differences:
        names = sorted({line.split()[1] for line in differences})
        raise Refusal(
            "a JVM part is not the pinned one",
            detail=f"The checksum differs for: {', '.join(names)}.",
            hint="If infra/jvm/ivy.xml was changed on purpose, run `make lock`; else distrust the download.",
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _last_lines(text: str) -> str:
    return "\n".join(line for line in text.splitlines()[-12:] if line.strip())


def link_jvm_parts(home: Path) -> None:
    """Let `jvm` in the instance's home point to the JVM parts, so that no configuration spells the cache."""
    target, link = resolve_jvm_parts(), home / "jvm"
    if link.is_symlink() and link.readlink() == target:
        return
    fresh = home / ".jvm"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target)
    fresh.rename(link)


if __name__ == "__main__":
    write_checksums()
    shutil.rmtree(jvm_folder(), ignore_errors=True)
    sys.exit(0)
