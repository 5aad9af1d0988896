"""People want to hear of things that are put up for sale: they add, change and delete queries.

A query asks for words in the title, a category, a price at most, or several of these, in every combination.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.shop.events import Event
from headwater.shop.streams.stream import Stream
from headwater.shop.vocabulary import ADJECTIVES, BRANDS, KINDS, money

if TYPE_CHECKING:
    from headwater.shop.shop import Shop

ADDED, CHANGED = 0.55, 0.25
"""Of turns, those in which a query is added, and changed; in the others one is deleted."""
QUERIES_PER_PERSON = 10
WORDS, CATEGORY, PRICE = 1, 2, 4
QUERY = b'"query_id":"%b","user_id":"%b"'


class StoredQueries(Stream):
    """The stories: `added`, `changed`, `deleted`."""

    name = "stored_queries"
    weight = 6
    changelog = True

    def __init__(self, shop: Shop) -> None:
        super().__init__(shop)
        self.kept: list[tuple[bytes, bytes]] = []
        self.most = QUERIES_PER_PERSON * len(shop.people)

    def begin(self, now: int) -> Event:
        """Add a query, or change or delete one that there is."""
        drawn = self.draw()
        if not self.kept or (drawn < ADDED and len(self.kept) < self.most):
            self.kept.append(self.new())
            return self.query(*self.kept[-1], "added")
        place = int(self.draw() * len(self.kept))
        if drawn < ADDED + CHANGED:
            return self.query(*self.kept[place], "changed")
        self.kept[place], self.kept[-1] = self.kept[-1], self.kept[place]
        return Event(self, self.kept.pop()[0], None, "deleted")

    def lone(self, now: int) -> Event:
        """Return a query that is not kept."""
        return self.query(*self.new(), "")

    def new(self) -> tuple[bytes, bytes]:
        """Return the id of a new query, and of its owner."""
        return self.shop.name(b"query"), self.people.popularity.choose(self.draw())

    def query(self, query: bytes, user: bytes, story: str) -> Event:
        """Return a query for something; at least one of its three parts is there."""
        draw = self.draw
        parts, kind = 1 + int(draw() * 7), KINDS[int(draw() * len(KINDS))]
        fields = QUERY % (query, user)
        if parts & WORDS:
            fields += b',"words":"%b"' % self.words(kind.noun)
        if parts & CATEGORY:
            fields += b',"category":"%b"' % kind.category
        if parts & PRICE:
            fields += b',"price_at_most":%b' % money(kind.price * (0.5 + draw()))
        return Event(self, query, fields, story)

    def words(self, noun: bytes) -> bytes:
        """Return one or two words of a title, in any order."""
        drawn = self.draw()
        if drawn < 0.4:
            return noun
        if drawn < 0.7:
            return noun + b" " + ADJECTIVES[int(self.draw() * len(ADJECTIVES))]
        return BRANDS[int(self.draw() * len(BRANDS))]
