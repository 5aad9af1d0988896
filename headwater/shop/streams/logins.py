"""People log in: mostly at the first attempt, sometimes at the second; now and then someone guesses.

    login    success
    slip     failure, success some seconds later
    burst    3 to 6 failures within four minutes; now and then the owner logs in meanwhile

Someone whose story goes on, or was over just now, begins no other, so that stories of one person stay apart:
as long as there are some forty times more people than logins in a second.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from headwater.shop.events import Event
from headwater.shop.people import COUNTRIES, another
from headwater.shop.presence import Presence
from headwater.shop.streams.purchases import Purchases
from headwater.shop.streams.stream import MINUTE, SECOND, Stream

if TYPE_CHECKING:
    from headwater.shop.shop import Shop

BURST = 0.08
"""Of stories, those that are a burst of failures."""
SLIP = 0.12
"""Of stories, those that begin with one failure."""
FEWEST_FAILURES, MOST_FAILURES = 3, 6
OWNER_MEANWHILE = 0.3
"""Of bursts, those with a success in between."""
SLIP_WITHIN = (4 * SECOND, 20 * SECOND)
GUESS_WITHIN = (5 * SECOND, 40 * SECOND)
REST = 11 * MINUTE

LOGIN = b'"user_id":"%b","country":"%b","succeeded":%b'


class Logins(Stream):
    """Logins, slips and bursts of failures."""

    name = "logins"
    weight = 40
    repays = True

    def __init__(self, shop: Shop) -> None:
        super().__init__(shop)
        self.owners = Presence(shop.people, shop.draw)

    def begin(self, now: int) -> Event:
        """Let someone try to log in."""
        person = self.owners.take(now)
        if person is None:
            return self.lone(now)
        drawn = self.draw()
        if drawn < BURST:
            return self.guess(person, self.guesses(), now)
        if drawn < BURST + SLIP:
            self.shop.later(now + self.between(*SLIP_WITHIN), partial(self.succeed, person, "slip"))
            return self.attempt(person, self.people.countries[person], False, "slip")
        return self.succeed(person, "login", now)

    def succeed(self, person: int, story: str, now: int) -> Event:
        """Log in; a purchase may follow."""
        country = self.people.countries[person]
        purchases = self.shop.streams.get(Purchases.name)
        bought = purchases.follow(person, country, now) if isinstance(purchases, Purchases) else now
        self.owners.rest(person, bought + REST)
        return self.attempt(person, country, True, story)

    def guesses(self) -> tuple[bool, ...]:
        """Return the outcomes of a burst, in order."""
        failures = FEWEST_FAILURES + int(self.draw() * (MOST_FAILURES - FEWEST_FAILURES + 1))
        if self.draw() >= OWNER_MEANWHILE:
            return (False,) * failures
        before = 1 + int(self.draw() * (failures - 1))
        return (*(False,) * before, True, *(False,) * (failures - before))

    def guess(self, person: int, outcomes: tuple[bool, ...], now: int) -> Event:
        """Return the next attempt of a burst, and put the one after it on the agenda."""
        if len(outcomes) > 1:
            self.shop.later(now + self.between(*GUESS_WITHIN), partial(self.guess, person, outcomes[1:]))
        else:
            self.owners.rest(person, now + REST)
        home = self.people.countries[person]
        country = home if outcomes[0] else another(COUNTRIES, home, self.draw())
        return self.attempt(person, country, outcomes[0], "burst")

    def lone(self, now: int) -> Event:
        """Return a success without further ado."""
        person = int(self.draw() * len(self.people))
        return self.attempt(person, self.people.countries[person], True, "")

    def attempt(self, person: int, country: bytes, succeeded: bool, story: str) -> Event:
        """Return an attempt to log in."""
        user = self.people.ids[person]
        return Event(self, user, LOGIN % (user, country, b"true" if succeeded else b"false"), story)
