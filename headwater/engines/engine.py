"""What every engine can do: start a driver, say how it is, end it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from headwater.errors import Refusal


class ClusterSilent(Refusal):
    """The cluster does not answer: nothing is known of its drivers, and nothing can be done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A driver to be run: an artifact's entry point and its arguments, under a name people will look for.

    `after` is the driver that was last submitted for it: two starts of the same thing are two submissions.
    """

    name: str
    artifact: str
    arguments: tuple[str, ...]
    apart: bool = False  # it keeps a single version, and may be throttled
    group: str | None = None  # whose rights it has: that of a live version apart, which may write topics
    after: str | None = None


class Engine(Protocol):
    """A cluster that runs drivers and starts them again when they fail."""

    def submit(self, submission: Submission) -> str:
        """Start a driver and return what the cluster calls it. Not idempotent: callers make sure."""
        ...

    def running(self, driver: str) -> bool:
        """Say whether a driver runs or is about to; one that the cluster does not know does not run."""
        ...

    def queued(self, driver: str) -> bool:
        """Say whether a driver has not begun to run, because the cluster has no room for it yet."""
        ...

    def drivers(self) -> set[str]:
        """Return all drivers that run or are about to, whoever submitted them."""
        ...

    def workers(self) -> int:
        """Count the machines that can run drivers; refuse if the cluster does not answer at all."""
        ...

    def room(self) -> str:
        """Say why there is no room for one more app; nothing if there is."""
        ...

    def kill(self, driver: str) -> None:
        """End a driver at once. Does nothing if it has ended already."""
        ...
