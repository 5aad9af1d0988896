"""The clerk: sells, ships, cancels and restocks, and runs the shop's little social network, all in SQL.

    clerk = Clerk(shop, keys.seal, seed=7)
    clerk.stock()
    changes = clerk.work()      # one transaction; returns how many rows it changed

What happens next is drawn by weight, from the seed alone. An order and its items are one transaction, as they
are in any shop: nobody ever sees the one without the others.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count
from random import Random
from typing import TYPE_CHECKING

from headwater.shop.people import popularity
from headwater.shop.vocabulary import ADJECTIVES, KINDS

if TYPE_CHECKING:
    from headwater.people import Seal
    from headwater.shop.database.connecting import Connection

PRODUCTS = 200
SUPPLY = 10_000
MOST_ITEMS = 4
REMEMBERED = 500  # of the newest orders and posts, those that may still change


class Clerk:
    """One clerk, with a memory of what may still change."""

    def __init__(self, shop: Connection, seal: Seal, seed: int = 1, users: int = 1000) -> None:
        self._shop, self._seal = shop, seal
        self._random = Random(f"headwater clerk {seed}")
        self._people = popularity(users)
        self._numbers = count(1)
        self._prefix = f"{seed}-{int(datetime.now(UTC).timestamp() * 1000):x}"
        self._orders = self._known("SELECT order_id FROM orders WHERE status = 'placed' ORDER BY updated_at")
        self._posts = self._known("SELECT post_id FROM posts ORDER BY posted_at")
        self._follows = self._known("SELECT follow_id FROM follows ORDER BY follow_id")
        # What can happen, and how often: of a hundred transactions so many.
        self._work = (
            (30, self.order),
            (14, self.pay),
            (8, self.change_an_item),
            (4, self.cancel),
            (6, self.restock),
            (14, self.post),
            (4, self.edit),
            (4, self.delete_a_post),
            (12, self.follow),
            (4, self.unfollow),
        )

    def stock(self) -> None:
        """Fill the shelves of a new shop; in one that has products, do nothing."""
        with self._shop.transaction():
            for number in range(PRODUCTS):
                kind = KINDS[number % len(KINDS)]
                adjective = ADJECTIVES[number // len(KINDS) % len(ADJECTIVES)]
                self._shop.execute(
                    "INSERT INTO products VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                    [
                        f"product-{number:03d}",
                        f"{adjective.decode()} {kind.noun.decode()}",
                        kind.category.decode(),
                        round(float(kind.price), 2),
                        SUPPLY,
                    ],
                )

    def work(self) -> int:
        """Do one thing, in one transaction; return how many rows it changed."""
        weights = [weight for weight, _ in self._work]
        (choice,) = self._random.choices([do for _, do in self._work], weights)
        with self._shop.transaction():
            return choice()

    def order(self) -> int:
        """Take an order of a few things."""
        order, now = self._name("order"), _now()
        self._shop.execute(
            "INSERT INTO orders VALUES (%s, %s, 'placed', %s, %s)", [order, self._person(), now, now]
        )
        wanted = self._random.sample(range(PRODUCTS), 1 + self._random.randrange(MOST_ITEMS))
        for place, product in enumerate(wanted):
            self._shop.execute(
                "INSERT INTO order_items "
                "SELECT %s, %s, product_id, %s, price FROM products WHERE product_id = %s",
                [f"{order}-{place}", order, 1 + self._random.randrange(3), f"product-{product:03d}"],
            )
        self._remember(self._orders, order)
        return 1 + len(wanted)

    def pay(self) -> int:
        """Let an order be paid."""
        return self._settle("paid")

    def cancel(self) -> int:
        """Let an order be cancelled."""
        return self._settle("cancelled")

    def change_an_item(self) -> int:
        """Let somebody want more or less of a thing; the order moves with it."""
        if not self._orders:
            return self.order()
        order = self._random.choice(self._orders)
        self._shop.execute("UPDATE orders SET updated_at = %s WHERE order_id = %s", [_now(), order])
        item = f"{order}-0"
        changed = self._shop.execute(
            "UPDATE order_items SET quantity = %s WHERE item_id = %s", [1 + self._random.randrange(5), item]
        )
        return 1 + changed.rowcount

    def restock(self) -> int:
        """Buy more of a thing in."""
        product = f"product-{self._random.randrange(PRODUCTS):03d}"
        more = "UPDATE products SET supplied = supplied + %s WHERE product_id = %s"
        return self._shop.execute(more, [10 * (1 + self._random.randrange(10)), product]).rowcount

    def post(self) -> int:
        """Let somebody write something."""
        post, author = self._name("post"), self._person()
        self._shop.execute(
            "INSERT INTO posts VALUES (%s, %s, %s, %s, NULL)", [post, author, self._words(author), _now()]
        )
        self._remember(self._posts, post)
        return 1

    def edit(self) -> int:
        """Let somebody find better words."""
        if not self._posts:
            return self.post()
        post = self._random.choice(self._posts)
        author = self._shop.execute("SELECT user_id FROM posts WHERE post_id = %s", [post]).fetchone()
        if author is None:  # erased, and the post with them
            return 0
        better = "UPDATE posts SET body = %s, edited_at = %s WHERE post_id = %s"
        return self._shop.execute(better, [self._words(author[0]), _now(), post]).rowcount

    def delete_a_post(self) -> int:
        """Let somebody think better of it."""
        if not self._posts:
            return self.post()
        return self._shop.execute("DELETE FROM posts WHERE post_id = %s", [self._take(self._posts)]).rowcount

    def follow(self) -> int:
        """Let somebody follow somebody."""
        follower, followed = self._person(), self._person()
        follow = f"{follower}>{followed}"
        added = self._shop.execute(
            "INSERT INTO follows VALUES (%s, %s, %s) ON CONFLICT DO NOTHING", [follow, follower, followed]
        )
        if added.rowcount:
            self._remember(self._follows, follow)
        return added.rowcount

    def unfollow(self) -> int:
        """Let somebody stop following somebody."""
        if not self._follows:
            return self.follow()
        return self._shop.execute(
            "DELETE FROM follows WHERE follow_id = %s", [self._take(self._follows)]
        ).rowcount

    def _settle(self, status: str) -> int:
        if not self._orders:
            return self.order()
        settled = "UPDATE orders SET status = %s, updated_at = %s WHERE order_id = %s"
        return self._shop.execute(settled, [status, _now(), self._take(self._orders)]).rowcount

    def _known(self, query: str) -> list[str]:
        return [str(name) for (name,) in self._shop.execute(query.encode())][-REMEMBERED:]

    def _remember(self, names: list[str], name: str) -> None:
        names.append(name)
        del names[:-REMEMBERED]

    def _take(self, names: list[str]) -> str:
        return names.pop(self._random.randrange(len(names)))

    def _person(self) -> str:
        return self._people.choose(self._random.random()).decode()

    def _name(self, kind: str) -> str:
        return f"{kind}-{self._prefix}-{next(self._numbers)}"

    def _words(self, author: str) -> str:
        kind, adjective = self._random.choice(KINDS), self._random.choice(ADJECTIVES)
        return self._seal(author, "body", f"I like my {adjective.decode()} {kind.noun.decode()}.")


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
