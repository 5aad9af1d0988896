"""Growing pauses between attempts."""

from __future__ import annotations

FIRST_SECONDS = 1
LONGEST_SECONDS = 60


class Pauses:
    """Each pause is twice as long as the one before, up to a minute; success begins anew."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin with the shortest pause again."""
        self._next = FIRST_SECONDS

    def longer(self) -> int:
        """Return how many seconds to wait now."""
        pause, self._next = self._next, min(2 * self._next, LONGEST_SECONDS)
        return pause
