"""What measurements stand on: an instance of their own."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater.local import platform
from headwater.local.steps import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings


@contextmanager
def own_instance(name: str, *steps: str) -> Iterator[Settings]:
    """Start an instance, with these steps only; remove it afterwards, unless HEADWATER_KEEP is set."""
    os.environ.setdefault("HEADWATER_INSTANCE", name)
    try:
        yield platform.up(steps=[step for step in STEPS if step[0] in steps])
    finally:
        if not os.environ.get("HEADWATER_KEEP"):
            platform.clean()
