"""What `make up` does once all parts run, in order.

Each step may be repeated, and says whether it changed anything. A step is a label and a function of the
settings; add yours to STEPS, and import what it needs inside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headwater.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a step ended: whether it changed anything, and a few words for the progress line."""

    changed: bool
    note: str = ""


Step = tuple[str, Callable[[Settings], Done]]

STEPS: list[Step] = []
