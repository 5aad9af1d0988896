"""Applications of the platform: the shop, its carts and the notifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.local import daemon
from headwater.local.kinds.kind import Kind

if TYPE_CHECKING:
    from headwater.local.record import Part


class Application(Kind):
    """One program that listens nowhere."""

    def __init__(self, missing: str) -> None:
        self._missing = missing

    def waiting_for(self, part: Part) -> str:
        """Wait until it has run for some seconds: it ends at once when Kafka does not let it in."""
        states = daemon.program_states(part.home, part.name)
        return "" if any(state["statename"] == "RUNNING" for state in states) else self._missing
