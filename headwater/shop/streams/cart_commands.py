"""People fill carts, change their minds, and check out, or do not.

    bought      some products are put in, changed and taken out again; checked out in the end
    returned    the same, but nothing happens for more than half an hour before the check-out
    left        never checked out
    race        two devices of one person change a cart at the same time, and expect the same version
    nonsense    a command that cannot be followed

The simulator sees no carts: it knows what it has sent, and expects versions only where a customer would, at
the check-out and in a race. Where a command is held back on its way, or comes first after all, more is
rejected than these stories say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from headwater.shop.events import Event
from headwater.shop.people import Popularity
from headwater.shop.streams.stream import MINUTE, SECOND, Stream

if TYPE_CHECKING:
    from headwater.shop.shop import Shop

RETURNED, LEFT = 0.1, 0.3
"""Of carts, those that are left for a while, and for ever; the others are bought."""
RACE, NONSENSE = 0.05, 0.1
"""Of further commands, those that begin a race, and those that are nonsense."""
REMOVED, CHANGED = 0.15, 0.2
"""Of the others, those that remove a product, and change how many."""
AFTER_CHECK_OUT = 0.1
"""Of carts that were checked out, those that somebody tries to add something to."""
MOST_COMMANDS, MOST_PIECES = 7, 4
THINKING = (2 * SECOND, 2 * MINUTE)
GONE_FOR = (31 * MINUTE, 50 * MINUTE)

PRODUCTS = tuple(b"product-%03d" % number for number in range(200))
UNKNOWN_PRODUCT = b"product-999"
COMMAND = b'"cart_id":"%b","user_id":"%b","kind":"%b"'


class Wish(NamedTuple):
    """What is to be done with a cart."""

    kind: bytes
    product: bytes | None = None
    quantity: int | None = None
    expected: int | None = None


@dataclass(slots=True)
class Basket:
    """A cart as whoever fills it believes it to be."""

    cart: bytes
    user: bytes
    story: str
    lines: dict[bytes, int] = field(default_factory=dict)
    version: int = 0


class CartCommands(Stream):
    """The commands of many carts, each with one owner."""

    name = "cart_commands"
    weight = 40
    repays = True

    def __init__(self, shop: Shop) -> None:
        super().__init__(shop)
        self.products = Popularity.of(PRODUCTS)

    def begin(self, now: int) -> Event:
        """Let someone put a first product into a cart."""
        drawn = self.draw()
        story = "returned" if drawn < RETURNED else "left" if drawn < RETURNED + LEFT else "bought"
        basket = self.basket(story)
        self.go_on(basket, int(self.draw() * MOST_COMMANDS), now)
        return self.add(basket, now)

    def lone(self, now: int) -> Event:
        """Put one product into a cart, and forget about it."""
        return self.add(self.basket(""), now)

    def basket(self, story: str) -> Basket:
        """Return an empty cart of somebody."""
        return Basket(self.shop.name(b"cart"), self.people.popularity.choose(self.draw()), story)

    def go_on(self, basket: Basket, commands: int, now: int) -> None:
        """Put what follows on the agenda: so many more commands, then the end."""
        if commands:
            self.shop.later(now + self.between(*THINKING), partial(self.step, basket, commands))
        elif basket.story != "left":
            pause = GONE_FOR if basket.story == "returned" else THINKING
            self.shop.later(now + self.between(*pause), partial(self.check_out, basket))

    def step(self, basket: Basket, commands: int, now: int) -> Event:
        """Return the next command."""
        self.go_on(basket, commands - 1, now)
        drawn = self.draw()
        if drawn < RACE:
            return self.race(basket, now)
        return self.nonsense(basket, now) if drawn < RACE + NONSENSE else self.sensible(basket, now)

    def sensible(self, basket: Basket, now: int) -> Event:
        """Return a command that can be followed; the last product is never taken out."""
        drawn, product = self.draw(), self.one_of(basket)
        if drawn < REMOVED and len(basket.lines) > 1:
            del basket.lines[product]
            return self.follow(basket, Wish(b"remove", product), basket.story, now)
        if drawn < REMOVED + CHANGED:
            basket.lines[product] += 1
            return self.follow(basket, Wish(b"change", product, basket.lines[product]), basket.story, now)
        return self.add(basket, now)

    def add(self, basket: Basket, now: int) -> Event:
        """Put a product in."""
        product, pieces = self.products.choose(self.draw()), 1 + int(self.draw() * MOST_PIECES)
        basket.lines[product] = basket.lines.get(product, 0) + pieces
        return self.follow(basket, Wish(b"add", product, pieces), basket.story, now)

    def check_out(self, basket: Basket, now: int) -> Event:
        """Buy what is in the cart, as it was seen last; now and then somebody wants more afterwards."""
        if self.draw() < AFTER_CHECK_OUT:
            more = Wish(b"add", self.one_of(basket), 1)
            self.shop.later(now + self.between(*THINKING), partial(self.command, basket, more, "nonsense"))
        return self.follow(basket, Wish(b"check_out", expected=basket.version), basket.story, now)

    def race(self, basket: Basket, now: int) -> Event:
        """Return the first of two commands that expect the same version; the other one follows at once."""
        product, expected = self.one_of(basket), basket.version
        loser = Wish(b"remove", product, expected=expected)
        self.shop.later(now, partial(self.command, basket, loser, "race"))
        basket.lines[product] += 1
        winner = Wish(b"change", product, basket.lines[product], expected)
        return self.follow(basket, winner, "race", now)

    def nonsense(self, basket: Basket, now: int) -> Event:
        """Return one of the commands that cannot be followed."""
        product = self.one_of(basket)
        impossible = (
            (basket, Wish(b"add", product, 0)),
            (basket, Wish(b"change", product, -1)),
            (basket, Wish(b"remove", UNKNOWN_PRODUCT)),
            (basket, Wish(b"check_out", expected=basket.version + 7)),
            (self.basket(""), Wish(b"check_out")),
        )
        return self.command(*impossible[int(self.draw() * len(impossible))], "nonsense", now)

    def one_of(self, basket: Basket) -> bytes:
        """Return a product that is in the cart."""
        return tuple(basket.lines)[int(self.draw() * len(basket.lines))]

    def follow(self, basket: Basket, wish: Wish, story: str, now: int) -> Event:
        """Return a command that makes a new version of the cart."""
        basket.version += 1
        return self.command(basket, wish, story, now)

    def command(self, basket: Basket, wish: Wish, story: str, now: int) -> Event:
        """Return a command; what it does not say is left out."""
        fields = COMMAND % (basket.cart, basket.user, wish.kind)
        if wish.product is not None:
            fields += b',"product_id":"%b"' % wish.product
        if wish.quantity is not None:
            fields += b',"quantity":%d' % wish.quantity
        if wish.expected is not None:
            fields += b',"expected_version":%d' % wish.expected
        return Event(self, basket.cart, fields, story)
