"""Whatever is typed behind a command: words come back, and nothing else happens."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from headwater.cli import main
from headwater.settings import REPOSITORY, instance_home
from tests.hostile import ARGUMENTS, COMMAND, FREE_TEXT, NOT_ONE_LINE, NUMBERS, ONE_LINE, Argument
from tests.watched import forbidden

if TYPE_CHECKING:
    from collections.abc import Iterator

# What is looked up without the instance, and refused before it is asked.
CLOSED = {"view", "person", "version", "artifact", "start", "kind", "until", "lateness", "day", "part", "key"}
NO_INSTANCE = "is not set up"
seen: list[str] | None = None  # nobody can take an audit hook back


def watch(event: str, details: tuple[Any, ...]) -> None:
    if seen is not None and (act := forbidden(event, details, instance_home().parent)):
        seen.append(act)


sys.addaudithook(watch)


@pytest.fixture(autouse=True)
def acts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Watch what is done, for an instance that is not there."""
    global seen
    monkeypatch.setenv("HEADWATER_HOME", str(tmp_path / "nowhere"))
    monkeypatch.setattr("headwater.cli.cli", COMMAND)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # what is written by then is written by a command
    seen = []
    yield seen
    seen = None


def test_watch_sees_a_file_that_is_not_ours_and_whatever_is_changed(acts: list[str], tmp_path: Path) -> None:
    Path(f"{tmp_path}/../../../../../../etc/passwd").read_text()
    (REPOSITORY / "README.md").read_text()
    Path(__file__).read_text()  # code may be read
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b").write_text("")
    (tmp_path / "a/b").rename(tmp_path / "a/c")
    (tmp_path / "a/c").unlink()
    (tmp_path / "a").rmdir()
    seen_acts = ["read", "read", "os.mkdir", "write", "os.rename", "os.remove", "os.rmdir"]
    assert [act.split()[0] for act in acts] == seen_acts


def answer(words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command says that does not do what it was asked to."""
    monkeypatch.setattr(sys, "argv", ["headwater", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert ended.value.code in (1, 2), words
    assert said.err, words
    assert "Traceback" not in said.err, said.err
    return said.err


@pytest.mark.parametrize("argument", ARGUMENTS, ids=str)
def test_hostile_words_are_refused(
    argument: Argument, acts: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for hostile in ["", *ONE_LINE, *NUMBERS]:
        answer(argument.filled_in(hostile), monkeypatch, capsys)
    assert acts == []


@pytest.mark.parametrize("argument", ARGUMENTS, ids=str)
def test_what_is_no_line_of_text_is_refused_at_the_door(
    argument: Argument, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for hostile in NOT_ONE_LINE:
        said = answer(argument.filled_in(hostile), monkeypatch, capsys)
        assert "is not a line of text" in said
        assert len(said) < 1000


@pytest.mark.parametrize("argument", [a for a in ARGUMENTS if a.name in CLOSED], ids=str)
def test_names_are_looked_at_before_the_instance(
    argument: Argument, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for hostile in ONE_LINE:
        assert NO_INSTANCE not in answer(argument.filled_in(hostile), monkeypatch, capsys)


@pytest.mark.parametrize("argument", [a for a in ARGUMENTS if a.name == "until" and a.choice], ids=str)
def test_backfill_in_order_is_refused_for_want_of_an_instance_alone(
    argument: Argument, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """So it is the hostile word that the others are refused for, and nothing beside it."""
    assert NO_INSTANCE in answer(argument.filled_in("2026-01-07T00:00:00Z"), monkeypatch, capsys)


@pytest.mark.parametrize("argument", [a for a in ARGUMENTS if a.name in FREE_TEXT], ids=str)
def test_free_text_is_one_short_line(
    argument: Argument, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for text in ("", " ", "x" * 201):
        assert "write one line" in answer(argument.filled_in(text), monkeypatch, capsys)
    assert NO_INSTANCE in answer(argument.filled_in("$(id); it's {{ fine }}"), monkeypatch, capsys)
