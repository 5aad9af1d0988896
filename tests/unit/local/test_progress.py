from __future__ import annotations

import io

import pytest
from rich.console import Console

from headwater.local.progress import Board


@pytest.fixture
def said() -> io.StringIO:
    return io.StringIO()


def test_without_a_terminal_each_change_is_a_line(said: io.StringIO) -> None:
    board = Board(["kafka", "topics"], Console(file=said))
    with board.shown():
        board.on("kafka", "working")
        board.on("kafka", "done")
        with board.step("topics") as note:
            note("2 made")
    assert said.getvalue().splitlines() == [
        "kafka: working",
        "kafka: done",
        "topics: working",
        "topics: done (2 made)",
    ]


def test_step_that_raises_is_shown_as_failed(said: io.StringIO) -> None:
    board = Board(["topics"], Console(file=said))
    with pytest.raises(ValueError, match="no"), board.step("topics"):
        raise ValueError("no")
    assert said.getvalue().splitlines()[-1] == "topics: failed"


def test_on_a_terminal_the_board_is_one_line_per_step(said: io.StringIO) -> None:
    board = Board(["kafka", "postgres"], Console(file=said, force_terminal=True, width=60))
    with board.shown():
        board.on("kafka", "done")
    final = said.getvalue().rsplit("\x1b[2K", 1)[-1]
    assert "✓" in final
    assert "kafka" in final
    assert "postgres" in final


def test_untouched_steps_are_unchanged(said: io.StringIO) -> None:
    board = Board(["kafka", "postgres"], Console(file=said))
    board.on("kafka", "done")
    board.leave_unchanged(["kafka", "postgres"])
    assert said.getvalue().splitlines() == ["kafka: done", "postgres: done (unchanged)"]
