from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from headwater import declared
from headwater.errors import Refusal
from spark_apps import catalog

if TYPE_CHECKING:
    from pathlib import Path


def test_names_apps_and_summaries_are_those_of_the_views() -> None:
    read = {view.name: (view.app, view.summary) for view in declared.views().values()}
    assert read == {view.name: (view.app, catalog.summary(view)) for view in catalog.views().values()}


def test_keys_and_their_types_are_those_of_the_views() -> None:
    read = {view.name: view.keys for view in declared.views().values()}
    assert read == {view.name: view.key_columns for view in catalog.views().values()}


def test_each_app_is_named_once() -> None:
    assert declared.apps() == sorted({view.app for view in catalog.views().values()})


@pytest.mark.parametrize("content", ["", "VIEW = None", "VIEW = View(name=NAME, app='traffic')"])
def test_file_without_a_plain_declaration_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "orders.py").write_text(content)
    with pytest.raises(Refusal, match=r"orders\.py declares no view"):
        declared.views(tmp_path)


def test_nothing_in_the_file_is_run(tmp_path: Path) -> None:
    (tmp_path / "orders.py").write_text(
        '"""Orders.\n\nAll."""\nraise SystemExit\nVIEW = View(name="orders", app="shop", keys=1 / 0)\n'
    )
    assert declared.views(tmp_path) == {
        "orders": declared.Declared(name="orders", app="shop", summary="Orders.")
    }
