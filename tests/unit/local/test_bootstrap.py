from __future__ import annotations

import subprocess
import sys

import pytest

from headwater.errors import Refusal
from headwater.local.bootstrap import python_complaint
from headwater.local.python_environment import LOCK, pinned
from headwater.settings import REPOSITORY


def test_set_up_needs_nothing_but_the_standard_library() -> None:
    modules = ("bootstrap", "preflight", "python_environment", "room")
    code = "; ".join(f"import headwater.local.{module}" for module in modules)
    command = [sys.executable, "-S", "-c", code]  # -S: no installed packages
    subprocess.run(command, cwd=REPOSITORY, check=True)


def test_old_python_is_told_with_the_command_that_installs_a_newer_one() -> None:
    complaint = python_complaint((3, 9, 2))
    assert "Python 3.9 is too old" in complaint
    assert "apt-get install python3.11" in complaint


def test_newer_python_will_do() -> None:
    assert python_complaint((3, 13, 0)) == ""


def test_pin_of_a_package_comes_with_its_hashes() -> None:
    lines = pinned(LOCK.read_text(), "uv").splitlines()
    assert lines[0].startswith("uv==")
    assert len(lines) > 1
    assert all("--hash=sha256:" in line for line in lines[1:])


def test_package_that_is_not_in_the_lock_is_refused() -> None:
    with pytest.raises(Refusal, match="not in the lock"):
        pinned(LOCK.read_text(), "no-such-package")
