"""Clicks on the results of a search; the first results get the most.

in_time     the first click, within nine minutes after the search, most within one
too_late    the first click, eleven minutes or more after the search
again       the second click on results of a search, within half a minute after the first
stray       a click on a result of a search that nobody has heard of
"""

from __future__ import annotations

from functools import partial

from headwater.shop.events import Event
from headwater.shop.streams.stream import MINUTE, SECOND, Stream

IN_TIME, TOO_LATE = 0.4, 0.05
"""Of searches that found something, those that a click follows."""
AGAIN = 0.05
"""Of searches that found something, those that two clicks follow, the first in time."""
FOUND = 0.87
"""Of searches, those that find something."""
SOONEST, SOON, LONG_AFTER = 2 * SECOND, 9 * MINUTE, (11 * MINUTE, 25 * MINUTE)
SECOND_CLICK = (1 * SECOND, 30 * SECOND)
RESULTS_OF_A_STRANGER = 20

RESULT_CLICK = b'"search_id":"%b","user_id":"%b","position":%d'


class ResultClicks(Stream):
    """Clicks that follow searches, and strays."""

    name = "result_clicks"
    weight = 28

    @property
    def turns(self) -> float:
        """Return the weight of the strays: all other clicks follow searches, if there are any."""
        made = self.shop.streams.get("searches")
        followed = FOUND * (IN_TIME + TOO_LATE + AGAIN)
        return self.weight if made is None else self.weight - followed * made.weight

    def follow(self, search: bytes, user: bytes, results: int, now: int) -> None:
        """Put the clicks on a search's results on the agenda, if there are any."""
        drawn, patience = self.draw(), self.draw()
        if not results:
            return
        if drawn < IN_TIME:
            when = now + SOONEST + int(patience * patience * patience * (SOON - SOONEST))
            self.shop.later(when, partial(self.click, search, user, results, "in_time"))
            if drawn < AGAIN:
                when += self.between(*SECOND_CLICK)
                self.shop.later(when, partial(self.click, search, user, results, "again"))
        elif drawn < IN_TIME + TOO_LATE:
            when = now + self.between(*LONG_AFTER)
            self.shop.later(when, partial(self.click, search, user, results, "too_late"))

    def lone(self, now: int) -> Event:
        """Return a stray."""
        user = self.people.popularity.choose(self.draw())
        return self.click(self.shop.name(b"stray"), user, RESULTS_OF_A_STRANGER, "stray", now)

    def click(self, search: bytes, user: bytes, results: int, story: str, now: int) -> Event:
        """Return a click on one of so many results."""
        drawn = self.draw()
        position = 1 + int(drawn * drawn * results)
        return Event(self, user, RESULT_CLICK % (search, user, position), story)
