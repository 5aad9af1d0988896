"""People buy: some minutes after they logged in, mostly from the same country.

same_country    at home, within a quarter of an hour after the login
fraud           from another country, within four minutes after the login
travel          from another country, but six minutes or more after the login
(none)          at home, by someone who has been logged in all the time
"""

from __future__ import annotations

from functools import partial

from headwater.shop.events import Event
from headwater.shop.people import COUNTRIES, another
from headwater.shop.streams.stream import MINUTE, SECOND, Stream
from headwater.shop.vocabulary import money

SAME_COUNTRY, FRAUD, TRAVEL = 0.4, 0.04, 0.06
"""Of successful logins, those that such a purchase follows."""
SOON = (30 * SECOND, 4 * MINUTE)
LONG_AFTER = (6 * MINUTE, 14 * MINUTE)
SOON_OR_LONG_AFTER = (30 * SECOND, 14 * MINUTE)
CHEAPEST, DEAREST = 5.0, 500.0

PURCHASE = b'"user_id":"%b","order_id":"%b","country":"%b","amount":%b'


class Purchases(Stream):
    """Purchases after logins, and others."""

    name = "purchases"
    weight = 20
    repays = True

    def follow(self, person: int, country: bytes, now: int) -> int:
        """Put a purchase after a login on the agenda, perhaps; return when it will be over."""
        drawn = self.draw()
        if drawn < FRAUD:
            return self.plan(person, another(COUNTRIES, country, self.draw()), "fraud", SOON, now)
        if drawn < FRAUD + TRAVEL:
            return self.plan(person, another(COUNTRIES, country, self.draw()), "travel", LONG_AFTER, now)
        if drawn < FRAUD + TRAVEL + SAME_COUNTRY:
            return self.plan(person, country, "same_country", SOON_OR_LONG_AFTER, now)
        return now

    def plan(self, person: int, country: bytes, story: str, within: tuple[int, int], now: int) -> int:
        """Put a purchase on the agenda."""
        when = now + self.between(*within)
        self.shop.later(when, partial(self.buy, person, country, story))
        return when

    def lone(self, now: int) -> Event:
        """Return a purchase long after any login."""
        person = int(self.draw() * len(self.people))
        return self.buy(person, self.people.countries[person], "", now)

    def buy(self, person: int, country: bytes, story: str, now: int) -> Event:
        """Return a purchase."""
        user, drawn = self.people.ids[person], self.draw()
        amount = money(CHEAPEST + drawn * drawn * drawn * (DEAREST - CHEAPEST))
        return Event(self, user, PURCHASE % (user, self.shop.name(b"order"), country, amount), story)
