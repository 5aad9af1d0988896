"""The locked Python environment: every package pinned, every download checked. Standard library only."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.local.files import one_at_a_time
from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VENV = REPOSITORY / ".venv"
LOCK = REPOSITORY / "requirements.txt"
PROJECT = REPOSITORY / "pyproject.toml"
PACKAGES_STAMP = VENV / "headwater-packages.stamp"
PROJECT_STAMP = VENV / "headwater-project.stamp"


def ensure_environment() -> bool:
    """Make the environment what the lock says; tell whether there was anything to do."""
    if is_current():
        return False
    with one_at_a_time(VENV / "headwater.lock"):
        if is_current():  # someone else has been at it
            return False
        with _ticking("Python environment"):
            _install()
    return True


def is_current() -> bool:
    """Tell whether the environment was made from the present lock and holds the project."""
    return _holds(PACKAGES_STAMP, LOCK) and _holds(PROJECT_STAMP, PROJECT)


def pinned(lock: str, package: str) -> str:
    """Return the lines of the lock that pin one package, hashes and all."""
    found = re.search(rf"^{re.escape(package)}==.*(?:\n[ ]+--hash=.*)+", lock, re.MULTILINE)
    if not found:
        raise Refusal(
            f'package "{package}" is not in the lock', hint="Name it in requirements.in, run `make lock`."
        )
    return found[0] + "\n"


def _install() -> None:
    """Bring packages and project up to date; packages that already are stay, because they may be in use."""
    if not _holds(PACKAGES_STAMP, LOCK):
        PROJECT_STAMP.unlink(missing_ok=True)  # the project is no package of the lock, so it is removed
        _install_packages()
        PACKAGES_STAMP.write_text(_fingerprint(LOCK))
    project = ["--no-deps", "--no-build-isolation", "--editable", str(REPOSITORY)]
    _run([*_uv("install"), *project])
    PROJECT_STAMP.write_text(_fingerprint(PROJECT))


def _install_packages() -> None:
    """Install with uv, which is quick; uv itself with pip, by the same lock."""
    if not (VENV / "bin/uv").exists():
        _run([sys.executable, "-m", "venv", str(VENV)])
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(pinned(LOCK.read_text(), "uv"))
            file.flush()
            options = ["--quiet", "--require-hashes", "--no-deps", "-r", file.name]
            _run([str(VENV / "bin/python"), "-m", "pip", "install", *options])
    # Compiled once and for all: where Python may not write beside its modules (PYTHONDONTWRITEBYTECODE is
    # common in containers), every task of Airflow and every Spark job would compile them anew.
    _run([*_uv("sync"), "--compile-bytecode", "--require-hashes", str(LOCK)])


def _uv(command: str) -> list[str]:
    return [str(VENV / "bin/uv"), "pip", command, "--quiet", "--python", str(VENV / "bin/python")]


def _holds(stamp: Path, source: Path) -> bool:
    return stamp.exists() and stamp.read_text() == _fingerprint(source)


def _fingerprint(source: Path) -> str:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"{version} {hashlib.sha256(source.read_bytes()).hexdigest()}"


def _run(command: list[str]) -> None:
    variables = {
        name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")
    }
    done = subprocess.run(command, cwd=REPOSITORY, env=variables, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    said = (done.stdout + done.stderr).strip()
    hint = "Check the connection to the Python package index and run again."
    if "ensurepip" in said:
        hint = "Install what Debian keeps apart: `sudo apt-get install python3-venv`."
    raise Refusal("the Python environment could not be made", detail=said[-1500:], hint=hint)


@contextmanager
def _ticking(label: str) -> Iterator[None]:
    """Show that work goes on: the seconds on a terminal, a first and a last line elsewhere."""
    started, finished = time.monotonic(), threading.Event()

    def tick() -> None:
        while not finished.wait(0.5):
            print(f"\r… {label}  {time.monotonic() - started:.0f} s", end="", flush=True)

    ticker = threading.Thread(target=tick, daemon=True)
    if sys.stdout.isatty():
        ticker.start()
    else:
        print(f"{label}: working", flush=True)
    try:
        yield
    finally:
        finished.set()
        if ticker.is_alive():
            ticker.join()
            print("\r\033[K", end="")
    print(f"{label}: done in {time.monotonic() - started:.0f} s", flush=True)
