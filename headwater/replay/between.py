"""A stretch of time, and the windows that lie wholly inside."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

MOMENT = timedelta(microseconds=1)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """A stretch of time: from the first moment up to, not including, the one after."""

    first: datetime
    after: datetime

    def starts_of(self, window: timedelta) -> Between:
        """Return when windows start that lie wholly inside."""
        latest = self.after - max(window, MOMENT)
        return Between(first=self.first.astimezone(UTC), after=latest.astimezone(UTC) + MOMENT)

    @property
    def empty(self) -> bool:
        """Whether there is no moment in it."""
        return self.after <= self.first

    @property
    def whole_days(self) -> Between:
        """Return the days that it touches, as a whole."""
        return Between(first=_day(self.first), after=_day(self.after - MOMENT) + DAY)

    @property
    def days(self) -> int:
        """Return how many days it touches."""
        return 0 if self.empty else (self.whole_days.after - self.whole_days.first) // DAY

    def without(self, other: Between) -> Iterable[Between]:
        """Return what is left of it beside another one."""
        sides = (
            Between(first=self.first, after=min(self.after, other.first)),
            Between(first=max(self.first, other.after), after=self.after),
        )
        return [side for side in sides if not side.empty]


def _day(time: datetime) -> datetime:
    return time.replace(hour=0, minute=0, second=0, microsecond=0)
