"""The notifier: alerts become notifications, and people hear of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.local import daemon
from headwater.local.kinds.kind import Kind

if TYPE_CHECKING:
    from headwater.local.record import Part


class Notifier(Kind):
    """The process that notifies."""

    def waiting_for(self, part: Part) -> str:
        """Wait until it has run for some seconds: it ends at once when Kafka does not let it in."""
        states = daemon.program_states(part.home, part.name)
        return "" if any(state["statename"] == "RUNNING" for state in states) else "No notifier yet."
