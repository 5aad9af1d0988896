"""People search the shop; some click on a result (see `result_clicks.py`), some find nothing at all."""

from __future__ import annotations

from headwater.shop.events import Event
from headwater.shop.streams.result_clicks import ResultClicks
from headwater.shop.streams.stream import Stream
from headwater.shop.vocabulary import ADJECTIVES, KINDS

MOST_RESULTS = 60
SEARCH = b'"search_id":"%b","user_id":"%b","query":"%b","results":%d'


class Searches(Stream):
    """One search at a time."""

    name = "searches"
    weight = 60

    def begin(self, now: int) -> Event:
        """Search; a click may follow if anything is found."""
        search, user = self.shop.name(b"search"), self.people.popularity.choose(self.draw())
        results = self.results()
        clicks = self.shop.streams.get(ResultClicks.name)
        if isinstance(clicks, ResultClicks):
            clicks.follow(search, user, results, now)
        return self.search(search, user, results)

    def lone(self, now: int) -> Event:
        """Search, and click on nothing."""
        user = self.people.popularity.choose(self.draw())
        return self.search(self.shop.name(b"search"), user, self.results())

    def results(self) -> int:
        """Return how many were found; for one of eight searches that is none."""
        drawn = self.draw()
        return int(drawn * drawn * MOST_RESULTS)

    def search(self, search: bytes, user: bytes, results: int) -> Event:
        """Return a search."""
        adjective = ADJECTIVES[int(self.draw() * len(ADJECTIVES))]
        query = adjective + b" " + KINDS[int(self.draw() * len(KINDS))].noun
        return Event(self, user, SEARCH % (search, user, query, results))
