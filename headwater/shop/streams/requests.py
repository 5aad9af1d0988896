"""The shop's servers answer requests: some endpoints are slow, and one is the worst."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from headwater.shop.events import Event
from headwater.shop.people import Popularity
from headwater.shop.streams.stream import Stream

if TYPE_CHECKING:
    from headwater.shop.shop import Shop


class Endpoint(NamedTuple):
    """What can be asked for, its mean duration in milliseconds, and how often it goes wrong."""

    path: bytes
    mean: float
    failing: float


# The most popular first.
ENDPOINTS = (
    Endpoint(b"/api/products", 40.0, 0.002),
    Endpoint(b"/api/search", 120.0, 0.005),
    Endpoint(b"/api/cart", 30.0, 0.002),
    Endpoint(b"/api/account", 60.0, 0.004),
    Endpoint(b"/api/recommendations", 220.0, 0.01),
    Endpoint(b"/api/orders", 150.0, 0.005),
    Endpoint(b"/api/checkout", 900.0, 0.04),
)
NOT_FOUND = 0.02
REQUEST = b'"user_id":"%b","endpoint":"%b","status":%d,"duration":%d.%d'


class Requests(Stream):
    """Single requests; popular people make the most."""

    name = "requests"
    weight = 330

    def __init__(self, shop: Shop) -> None:
        super().__init__(shop)
        self.popularity = Popularity.of(tuple(endpoint.path for endpoint in ENDPOINTS))

    def lone(self, now: int) -> Event:
        """Return a request and how it went."""
        user = self.people.popularity.choose(self.draw())
        endpoint = ENDPOINTS[self.popularity.rank(self.draw())]
        tenths = int(10 * endpoint.mean * self.luck()) + 1
        fields = (user, endpoint.path, self.status(endpoint), tenths // 10, tenths % 10)
        return Event(self, user, REQUEST % fields)

    def luck(self) -> float:
        """Return a factor around 1: mostly less, now and then much more.

        Many small causes multiply, which gives nearly a log-normal distribution.
        """
        draw = self.draw
        return (0.2 + 1.6 * draw()) * (0.2 + 1.6 * draw()) * (0.2 + 1.6 * draw()) * (0.2 + 1.6 * draw())

    def status(self, endpoint: Endpoint) -> int:
        """Return how it went, as HTTP has it."""
        drawn = self.draw()
        if drawn < endpoint.failing:
            return 500
        return 404 if drawn > 1 - NOT_FOUND else 200
