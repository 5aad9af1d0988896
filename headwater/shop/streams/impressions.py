"""Advertisements are shown; some are clicked on (see `clicks.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.shop.events import Event
from headwater.shop.people import Popularity
from headwater.shop.streams.clicks import Clicks
from headwater.shop.streams.stream import Stream

if TYPE_CHECKING:
    from headwater.shop.shop import Shop

ADS = tuple(b"ad-%02d" % number for number in range(1, 21))
IMPRESSION = b'"impression_id":"%b","ad_id":"%b","user_id":"%b"'


class Impressions(Stream):
    """One impression at a time."""

    name = "impressions"
    weight = 80

    def __init__(self, shop: Shop) -> None:
        super().__init__(shop)
        self.ads = Popularity.of(ADS)

    def begin(self, now: int) -> Event:
        """Show an advertisement that may be clicked on."""
        impression, user = self.shop.name(b"impression"), self.people.popularity.choose(self.draw())
        clicks = self.shop.streams.get(Clicks.name)
        if isinstance(clicks, Clicks):
            clicks.follow(impression, user, now)
        return self.shown(impression, user)

    def lone(self, now: int) -> Event:
        """Show an advertisement that nobody clicks on."""
        return self.shown(self.shop.name(b"impression"), self.people.popularity.choose(self.draw()))

    def shown(self, impression: bytes, user: bytes) -> Event:
        """Return an impression."""
        return Event(self, user, IMPRESSION % (impression, self.ads.choose(self.draw()), user))
