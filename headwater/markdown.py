"""Words and tables for people, as Markdown. What came from an event is shown, and never is markup itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LONGEST = 120  # characters of a value that a table shows


def table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table of cells that are Markdown already."""
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def bullets(title: str, sentences: Iterable[str]) -> str:
    """Return sentences one below the other; nothing if there are none."""
    lines = [f"- {text(one)}" for one in sentences]
    return "\n".join([f"**{title}**\n", *lines]) if lines else ""


def arguments(named: Mapping[str, Any]) -> str:
    """Write names and values as they stand in a call."""
    return ", ".join(f"{name}={_value(value)}" for name, value in named.items())


def _value(value: object) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, (list, tuple)) else str(value)


def code(value: str) -> str:
    """Show a value as it is. It may come from an event: nothing in it may end the cell, or be markup."""
    shown = " ".join(value.split()).replace("`", "'").replace("|", "\\|")
    return f"`{shown[:LONGEST] + ('…' if len(shown) > LONGEST else '')}`" if shown else "` `"


def text(sentence: str) -> str:
    """Show a sentence that may quote values of events, without letting them be markup."""
    flat = " ".join(sentence.split())
    for mark, harmless in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        ("|", "\\|"),
        ("`", "\\`"),
        ("[", "\\["),
        ("*", "\\*"),
    ):
        flat = flat.replace(mark, harmless)
    return flat.replace("_", "\\_")
