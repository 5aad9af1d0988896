"""Clicks on advertisements.

in_time     the first click, within nine minutes after the impression
too_late    the first click, eleven minutes or more after the impression
again       the second click on an impression, within half a minute after the first
stray       a click on an impression that nobody has heard of
"""

from __future__ import annotations

from functools import partial

from headwater.shop.events import Event
from headwater.shop.streams.stream import MINUTE, SECOND, Stream

IN_TIME, TOO_LATE = 0.27, 0.05
"""Of impressions, those that are clicked on."""
AGAIN = 0.03
"""Of impressions, those that are clicked on twice, the first time in time."""
SOON, LONG_AFTER = (2 * SECOND, 9 * MINUTE), (11 * MINUTE, 25 * MINUTE)
SECOND_CLICK = (1 * SECOND, 30 * SECOND)

CLICK = b'"impression_id":"%b","user_id":"%b"'


class Clicks(Stream):
    """Clicks that follow impressions, and strays."""

    name = "clicks"
    weight = 30

    @property
    def turns(self) -> float:
        """Return the weight of the strays: all other clicks follow impressions, if there are any."""
        shown = self.shop.streams.get("impressions")
        return self.weight if shown is None else self.weight - (IN_TIME + TOO_LATE + AGAIN) * shown.weight

    def follow(self, impression: bytes, user: bytes, now: int) -> None:
        """Put the clicks on an impression on the agenda, if there are any."""
        drawn = self.draw()
        if drawn < IN_TIME:
            when = now + self.between(*SOON)
            self.shop.later(when, partial(self.click, impression, user, "in_time"))
            if drawn < AGAIN:
                when += self.between(*SECOND_CLICK)
                self.shop.later(when, partial(self.click, impression, user, "again"))
        elif drawn < IN_TIME + TOO_LATE:
            when = now + self.between(*LONG_AFTER)
            self.shop.later(when, partial(self.click, impression, user, "too_late"))

    def lone(self, now: int) -> Event:
        """Return a stray."""
        user = self.people.popularity.choose(self.draw())
        return self.click(self.shop.name(b"stray"), user, "stray", now)

    def click(self, impression: bytes, user: bytes, story: str, now: int) -> Event:
        """Return a click."""
        return Event(self, user, CLICK % (impression, user), story)
