"""Where an instance lives, and what it refuses."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from headwater.errors import Refusal
from headwater.settings import Settings, data_folder, instance_home

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and folder.name.startswith(("pytest", "popen", "test_")):
            folder.chmod(0o755)
    return tmp_path


def test_data_is_kept_in_the_repository(open_folder: Path) -> None:
    assert data_folder(open_folder, longest=1000) == open_folder / ".headwater"


def test_repository_closed_to_others_keeps_its_data_elsewhere_when_root(open_folder: Path) -> None:
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    expected = os.geteuid() != 0  # for an ordinary user PostgreSQL runs as that user, who can get there
    assert (data_folder(closed, longest=1000) == closed / ".headwater") is expected


def test_repository_with_a_long_path_keeps_its_data_elsewhere(open_folder: Path) -> None:
    deep = open_folder / ("deep" * 20)
    deep.mkdir()
    assert open_folder not in data_folder(deep).parents


def test_two_repositories_never_share_their_data(open_folder: Path) -> None:
    one, other = open_folder / ("one" * 20), open_folder / ("two" * 20)
    one.mkdir()
    other.mkdir()
    assert data_folder(one) != data_folder(other)


@pytest.mark.parametrize("name", ["", "../main", "Main", "a b", "$(id)", "x" * 40, "a;b", "a\nb"])
def test_name_that_could_leave_the_data_folder_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADWATER_HOME", raising=False)
    monkeypatch.setenv("HEADWATER_INSTANCE", name)
    with pytest.raises(Refusal, match="cannot name an instance"):
        instance_home()


def test_environment_that_breaks_its_contract_is_refused_by_name() -> None:
    with pytest.raises(Refusal, match="airflow_url"):
        Settings.from_outputs({})
