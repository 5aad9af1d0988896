"""How a command ends: quietly, or with a refusal that says what to do next."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable


def run(command: Callable[[], object]) -> int:
    """Run a command and return its exit code; a refusal goes to standard error, in words."""
    try:
        command()
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0
