"""The life of a part, in the order in which the methods are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headwater.local.record import Part


class Kind:
    """A kind of part. Every method may be called again after a crash and must then finish the work."""

    def prepare(self, part: Part) -> None:
        """Make the data that the programs need before they start."""

    def waiting_for(self, part: Part) -> str:
        """Return what is missing until the part does its work, as a sentence; nothing when it is ready."""
        raise NotImplementedError

    def settle(self, part: Part) -> None:
        """Make, through the running part, what others need: roles, databases, users."""

    def forget(self, part: Part) -> None:
        """Remove what must not outlive a stop on purpose. Data stays."""
