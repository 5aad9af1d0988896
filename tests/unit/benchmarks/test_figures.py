"""Figures that were measured before stay until the same is measured again, or anything by other code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks import figures

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "FOLDER", tmp_path / "figures")


def test_nothing_is_kept_at_first() -> None:
    assert figures.kept("soak") == []


def test_figure_takes_the_place_of_the_one_it_repeats_and_of_no_other() -> None:
    for rate, minutes, memory in ((50, 2, 5.0), (200, 15, 7.0), (50, 2, 6.0)):
        figures.keep("soak", {"rate": rate, "minutes": minutes, "memory": memory}, "rate", "minutes")
    assert [(each["rate"], each["memory"]) for each in figures.kept("soak")] == [(50, 6.0), (200, 7.0)]


def test_benchmarks_do_not_share_figures() -> None:
    figures.keep("views", {"view": "carts"}, "view")
    assert figures.kept("search") == []


@pytest.mark.parametrize("other", ["code", "machine"])
def test_figures_of_other_code_or_another_machine_are_not_mixed_with_these(
    other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures.keep("views", {"view": "carts", "share": 0.5}, "view")
    figures.keep("search", {"view": "carts"}, "view")
    now = figures.conditions() | {other: "another"}
    monkeypatch.setattr(figures, "conditions", lambda: now)
    assert figures.kept("views") == []
    figures.keep("views", {"view": "inventory", "share": 0.2}, "view")
    assert figures.kept("views") == [{"view": "inventory", "share": 0.2}]
