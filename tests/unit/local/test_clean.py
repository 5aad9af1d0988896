from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from headwater.errors import Refusal
from headwater.local import platform

if TYPE_CHECKING:
    from pathlib import Path


def test_folder_that_is_no_instance_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("three years of work")
    with pytest.raises(Refusal, match="is not the home of an instance"):
        platform.clean(tmp_path)
    assert (tmp_path / "thesis.txt").exists()


def test_instance_that_was_never_made_is_nothing_to_clean(tmp_path: Path) -> None:
    platform.clean(tmp_path / "main")
    assert not (tmp_path / "main").exists()


def test_instance_that_was_given_up_half_way_is_removed(tmp_path: Path) -> None:
    (tmp_path / "main").mkdir()
    (tmp_path / "main/instance.tfvars.json").write_text("{}")
    platform.clean(tmp_path / "main")
    assert not (tmp_path / "main").exists()
