"""The streams of the shop, one file for each topic that the simulator writes."""

from headwater.shop.streams.cart_commands import CartCommands
from headwater.shop.streams.clicks import Clicks
from headwater.shop.streams.impressions import Impressions
from headwater.shop.streams.listings import Listings
from headwater.shop.streams.logins import Logins
from headwater.shop.streams.page_views import PageViews
from headwater.shop.streams.purchases import Purchases
from headwater.shop.streams.requests import Requests
from headwater.shop.streams.result_clicks import ResultClicks
from headwater.shop.streams.searches import Searches
from headwater.shop.streams.stored_queries import StoredQueries
from headwater.shop.streams.stream import Stream
from headwater.shop.streams.user_changelog import UserChangelog

STREAMS: dict[str, type[Stream]] = {
    stream.name: stream
    for stream in (
        *(PageViews, Requests, Impressions, Clicks, Searches, ResultClicks),
        *(Logins, Purchases, CartCommands, Listings, StoredQueries, UserChangelog),
    )
}

__all__ = ["STREAMS", "Stream"]
