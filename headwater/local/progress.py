"""Progress, a line per step: waiting, working with seconds, done, failed. Plain lines without a terminal."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

State = Literal["waiting", "working", "done", "failed"]
SIGNS = {"waiting": ("·", "dim"), "done": ("✓", "green"), "failed": ("✗", "red")}


@dataclass(slots=True)
class Line:
    """One step, as it stands now."""

    state: State = "waiting"
    note: str = ""
    started: float = 0.0
    seconds: float = 0.0


class Board:
    """The steps of a command. `on` may be called from any thread."""

    def __init__(self, labels: list[str], console: Console) -> None:
        self._lines = {label: Line() for label in labels}
        self._console = console
        self._lock = threading.Lock()
        self._spinner = Spinner("dots", style="cyan")

    def on(self, label: str, state: State, note: str = "") -> None:
        """Take a step's new state; a step that is not on the board is nobody's concern."""
        with self._lock:
            if (line := self._lines.get(label)) is None:
                return
            if state == "working":
                line.started, line.seconds = time.monotonic(), 0.0
            elif line.started:
                line.seconds = time.monotonic() - line.started
            line.state, line.note = state, note
        if not self._console.is_terminal:
            self._print(label, line)

    def leave_unchanged(self, labels: list[str]) -> None:
        """Take as done the steps that nobody has had to work on."""
        for label in labels:
            if self._lines[label].state == "waiting":
                self.on(label, "done", "unchanged")

    @contextmanager
    def step(self, label: str) -> Iterator[Callable[[str], None]]:
        """Show a step as working, then as done (with the note it was given) or failed."""
        note = ""

        def take(text: str) -> None:
            nonlocal note
            note = text

        self.on(label, "working")
        try:
            yield take
        except BaseException:
            self.on(label, "failed")
            raise
        self.on(label, "done", note)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the board while the work is done."""
        if not self._console.is_terminal:
            yield
            return
        with Live(get_renderable=self._render, console=self._console, refresh_per_second=8):
            yield

    def _print(self, label: str, line: Line) -> None:
        words = [f"{label}: {line.state}", f"in {line.seconds:.0f} s" if line.seconds >= 1 else ""]
        note = f"({line.note})" if line.note else ""
        self._console.print(
            " ".join(word for word in [*words, note] if word), highlight=False, soft_wrap=True
        )

    def _render(self) -> RenderableType:
        table = Table.grid(padding=(0, 1))
        with self._lock:
            for label, line in self._lines.items():
                table.add_row(self._sign(line), Text(label), _elapsed(line), Text(line.note, style="dim"))
        return Group(table)

    def _sign(self, line: Line) -> RenderableType:
        if line.state == "working":
            return self._spinner
        sign, style = SIGNS[line.state]
        return Text(sign, style=style)


def _elapsed(line: Line) -> Text:
    seconds = time.monotonic() - line.started if line.state == "working" else line.seconds
    return Text(f"{seconds:.0f} s" if seconds >= 1 else "", style="dim", justify="right")
