"""How far a replay has come, in figures and in words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a candidate has come."""

    query: str
    phase: str  # starting, waiting, writing history, catching up, or live
    events_left: int
    events_per_second: float | None
    caught_up: bool

    @property
    def minutes_left(self) -> float | None:
        """Return how long it will take at this rate; None when nobody can tell yet."""
        return self.events_left / self.events_per_second / 60 if self.events_per_second else None

    def __str__(self) -> str:
        if self.caught_up:
            return f"{self.query} has caught up with the log"
        rate = f", {self.events_per_second:,.0f} events/s" if self.events_per_second else ""
        minutes = f", about {self.minutes_left:.1f} minutes" if self.minutes_left is not None else ""
        return f"{self.query} is {self.phase}: {self.events_left:,} events left{rate}{minutes}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingToCatchUp(Progress):
    """A replay that reads what there is, and no further."""

    phase: str = "live"
    events_left: int = 0
    events_per_second: float | None = None
    caught_up: bool = True

    def __str__(self) -> str:
        return f"a backfill of {self.query} has nothing to catch up with"
