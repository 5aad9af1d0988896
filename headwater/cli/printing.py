"""How the command line shows things."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

console = Console()
if not console.is_terminal:  # who reads it with a program wants all of it
    console.width = 250


def say(sentence: str) -> None:
    """Print a sentence as it is: brackets in it are no markup."""
    console.print(sentence, markup=False, soft_wrap=True)


def print_table(columns: Iterable[str], rows: Iterable[tuple[object, ...]]) -> None:
    """Print rows below the names of their columns."""
    table = Table(*columns, box=None)
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    console.print(table)


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case timedelta():
            return str(timedelta(seconds=int(value.total_seconds())))
        case float():
            return f"{value:,.1f}"
        case datetime():
            return value.isoformat(" ", "seconds")
        case _:
            return str(value)
