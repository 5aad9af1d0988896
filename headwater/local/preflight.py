"""What must hold before anything is started. Standard library only: it runs before the Python environment exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def check(home: Path) -> None:
    """Refuse, in one clear sentence, what would fail half-way."""
    home.mkdir(parents=True, exist_ok=True)
