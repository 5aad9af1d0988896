"""The code of bounded jobs, packed: all of it is in the zip, and the zip runs."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from headwater import jobs, packing

if TYPE_CHECKING:
    from pathlib import Path

# Whatever is not in the zip would be found in the working tree, which is installed, too.
IMPORT_ALL = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import expectations
from spark_apps import maintaining
for module in pkgutil.iter_modules(expectations.__path__, "expectations."):
    importlib.import_module(module.name)
ours = {name: module for name, module in sys.modules.items() if name.split(".")[0] in sys.argv[2:]}
elsewhere = [name for name, module in ours.items() if not (module.__file__ or "").startswith(sys.argv[1])]
assert "expectations.proving" in ours and not elsewhere, elsewhere
from headwater.topics import load_topics
assert "page_views" in load_topics()
from expectations.pages import SelfContainedPage
assert SelfContainedPage().env.get_template("page.j2").filename.startswith(sys.argv[1])
"""


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packed") / "jobs.zip"
    path.write_bytes(packing.pack(jobs.JOBS).content)
    return path


def test_all_that_a_job_imports_is_in_it(packed: Path) -> None:
    command = [sys.executable, "-c", IMPORT_ALL, str(packed), *jobs.JOBS.packages]
    done = subprocess.run(command, cwd=packed.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_it_runs_and_says_what_it_can_do(packed: Path) -> None:
    done = subprocess.run(
        [sys.executable, packed, "dance"], cwd=packed.parent, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "prove VIEW LABEL" in done.stderr) == (2, True)


def test_same_code_has_the_same_name() -> None:
    assert packing.pack(jobs.JOBS) == packing.pack(jobs.JOBS)
