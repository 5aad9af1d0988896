"""What comes from the log, shown on a terminal: one line, and nothing that a terminal would obey."""

from __future__ import annotations

LONGEST = 2000


def printable(text: str, most: int = LONGEST) -> str:
    """Return a text with everything spelled out that is not to be seen, and not more of it than that."""
    shown = "".join(letter if letter.isprintable() else _spelled(letter) for letter in text[:most])
    return shown if len(text) <= most else f"{shown}…"


def _spelled(letter: str) -> str:
    return letter.encode("unicode_escape", errors="backslashreplace").decode()
