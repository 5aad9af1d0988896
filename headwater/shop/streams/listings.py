"""Things are put up for sale."""

from __future__ import annotations

from headwater.shop.events import Event
from headwater.shop.streams.stream import Stream
from headwater.shop.vocabulary import ADJECTIVES, BRANDS, KINDS, money

LISTING = b'"listing_id":"%b","title":"%b %b %b","category":"%b","price":%b'


class Listings(Stream):
    """One thing at a time, for between half and one and a half times of what its kind costs."""

    name = "listings"
    weight = 28

    def lone(self, now: int) -> Event:
        """Return a thing for sale."""
        listing, draw = self.shop.name(b"listing"), self.draw
        adjective, brand = ADJECTIVES[int(draw() * len(ADJECTIVES))], BRANDS[int(draw() * len(BRANDS))]
        kind = KINDS[int(draw() * len(KINDS))]
        price = money(kind.price * (0.5 + draw()))
        return Event(self, listing, LISTING % (listing, adjective, brand, kind.noun, kind.category, price))
