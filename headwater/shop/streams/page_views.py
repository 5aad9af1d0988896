"""People look around: a few pages, some seconds or minutes apart, then they are gone for a while.

Rests are longer than ten minutes, so that sessions end. They take people: a thousand people make about four
page views a second in visits. At a higher rate the rest are single looks of popular people at popular pages,
whose sessions then never end; choose more `users` where that matters.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from headwater.shop.events import Event
from headwater.shop.people import Popularity
from headwater.shop.presence import Presence
from headwater.shop.streams.stream import MINUTE, SECOND, Stream

if TYPE_CHECKING:
    from headwater.shop.shop import Shop

PAGES = (
    *(b"/", b"/search", b"/cart", b"/checkout", b"/account", b"/orders", b"/wishlist", b"/offers", b"/help"),
    *(b"/category/%d" % number for number in range(1, 11)),
    *(b"/product/%d" % number for number in range(1, 32)),
)
MOST_PAGES = 12
SHORTEST_LOOK, LONGEST_LOOK = 3 * SECOND, 3 * MINUTE
SHORTEST_REST, LONGEST_REST = 11 * MINUTE, 25 * MINUTE
WITH_REFERRER = 0.25

PAGE_VIEW = b'"user_id":"%b","page":"%b"'
REFERRED_PAGE_VIEW = b'"user_id":"%b","page":"%b","referrer":"%b"'


class PageViews(Stream):
    """Visits (story `visit`), and single looks."""

    name = "page_views"
    weight = 330
    repays = True

    def __init__(self, shop: Shop) -> None:
        super().__init__(shop)
        self.pages = Popularity.of(PAGES)
        self.visitors = Presence(shop.people, shop.draw)

    def begin(self, now: int) -> Event:
        """Let someone come in."""
        visitor = self.visitors.take(now)
        if visitor is None:
            return self.lone(now)
        drawn = self.draw()
        return self.look(visitor, 1 + int(drawn * drawn * MOST_PAGES), None, now)

    def look(self, visitor: int, pages: int, referrer: bytes | None, now: int) -> Event:
        """Look at a page of a visit, and put the next page on the agenda, if there is one."""
        drawn, page = self.draw(), self.pages.choose(self.draw())
        if pages > 1:
            looking = SHORTEST_LOOK + int(drawn * drawn * drawn * (LONGEST_LOOK - SHORTEST_LOOK))
            self.shop.later(now + looking, partial(self.look, visitor, pages - 1, page))
        else:
            self.visitors.rest(visitor, now + SHORTEST_REST + int(drawn * (LONGEST_REST - SHORTEST_REST)))
        user = self.people.ids[visitor]
        if referrer is None:
            return Event(self, user, PAGE_VIEW % (user, page), "visit")
        return Event(self, user, REFERRED_PAGE_VIEW % (user, page, referrer), "visit")

    def lone(self, now: int) -> Event:
        """Return a single look."""
        draw = self.draw
        user, page = self.people.popularity.choose(draw()), self.pages.choose(draw())
        if draw() >= WITH_REFERRER:
            return Event(self, user, PAGE_VIEW % (user, page))
        return Event(self, user, REFERRED_PAGE_VIEW % (user, page, self.pages.choose(draw())))
