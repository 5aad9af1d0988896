"""Where a start writes is looked at before it: the instance, the Python environment, and all downloads."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.errors import Refusal
from headwater.local import python_environment, room
from headwater.local.jvm import jvm_folder
from headwater.local.room import GIGABYTE, Place
from headwater.settings import REPOSITORY

READ_ONLY = Path("/proc/headwater")  # not even root may write there


def place(folder: Path, *, needed: float = 0, variable: str = "HEADWATER_DATA") -> Place:
    return Place(what="the instance", folder=folder, needed=needed, variable=variable)


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder below which everything is still to be made."""
    monkeypatch.setattr(python_environment, "VENV", tmp_path / "checkout/.venv")
    monkeypatch.setattr(python_environment, "PACKAGES_STAMP", tmp_path / "checkout/.venv/stamp")
    monkeypatch.setenv("HEADWATER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "packages"))
    monkeypatch.delenv("HEADWATER_MIN_FREE_GB", raising=False)
    return tmp_path


def test_folder_that_can_be_written_to_on_a_disk_with_room_is_fine(tmp_path: Path) -> None:
    room.check([place(tmp_path / "main")])
    assert (tmp_path / "main").is_dir()


def test_everything_that_is_still_to_be_made_is_looked_at(fresh: Path) -> None:
    looked_at = [found.folder for found in (*room.environment(), *room.jvm_parts())]
    assert looked_at == [fresh / "checkout/.venv", fresh / "packages", fresh / "cache/jvm"]


def test_what_is_there_needs_neither_room_nor_permission(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jvm_folder().mkdir(parents=True)
    assert room.jvm_parts() == []
    monkeypatch.setattr(python_environment, "is_current", lambda: True)
    assert room.environment() == []


@pytest.mark.parametrize(
    ("variable", "cure"),
    [
        ("HEADWATER_CACHE", "HEADWATER_CACHE"),
        ("UV_CACHE_DIR", "UV_CACHE_DIR"),
        ("", "clone to another place"),
    ],
)
def test_place_that_cannot_be_written_to_is_refused_with_its_cure(variable: str, cure: str) -> None:
    with pytest.raises(Refusal, match=f"{READ_ONLY} cannot be written to") as refused:
        room.check([place(READ_ONLY, variable=variable)])
    assert refused.value.detail.startswith("The instance would come there.")
    assert cure in refused.value.hint


def test_folder_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Refusal, match="cannot be written to"):
        room.check([place(tmp_path / "file/main")])


def test_full_disk_is_refused_with_the_figures(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="disk is nearly full") as refused:
        room.check([place(tmp_path, needed=10**9)])
    assert "GB free, and 1e+09 GB are needed for the instance" in refused.value.detail
    assert "HEADWATER_DATA" in refused.value.hint


def test_places_on_one_disk_need_room_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADWATER_MIN_FREE_GB", raising=False)
    most = shutil.disk_usage(tmp_path).free / GIGABYTE * 2 / 3
    first, second = (place(tmp_path / name, needed=most) for name in ("a", "b"))
    room.check([first])
    room.check([second])
    with pytest.raises(Refusal, match="disk is nearly full") as refused:
        room.check([first, second])
    assert str(first.folder) in refused.value.detail
    assert str(second.folder) in refused.value.detail


def test_less_room_may_be_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_MIN_FREE_GB", "0")
    room.check([place(tmp_path, needed=10**9)])


def test_nothing_is_begun(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "headwater.local.bootstrap", "up"]
    places = {"HEADWATER_DATA": str(tmp_path), "HEADWATER_CACHE": str(READ_ONLY)}
    done = subprocess.run(
        command, cwd=REPOSITORY, env=os.environ | places, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"{READ_ONLY}/jvm cannot be written to" in done.stderr
    assert "name another place with HEADWATER_CACHE" in done.stderr
    assert [path.name for path in tmp_path.rglob("*")] == [os.environ["HEADWATER_INSTANCE"]]
