"""What the shop sells, in few words: so that searches, stored queries and listings meet."""

from __future__ import annotations

from typing import NamedTuple

ADJECTIVES = (b"red", b"blue", b"black", b"white", b"small", b"large", b"light", b"sturdy", b"used", b"new")
BRANDS = (b"alpina", b"boreal", b"cirrus", b"delta", b"estuary", b"fjord", b"glacier", b"harbour")


class Kind(NamedTuple):
    """A kind of thing that is sold, and about what it costs."""

    noun: bytes
    category: bytes
    price: float


KINDS = (
    Kind(b"bicycle", b"sports", 420.0),
    Kind(b"tent", b"sports", 180.0),
    Kind(b"skis", b"sports", 260.0),
    Kind(b"lamp", b"home", 45.0),
    Kind(b"chair", b"home", 90.0),
    Kind(b"kettle", b"home", 35.0),
    Kind(b"phone", b"electronics", 510.0),
    Kind(b"camera", b"electronics", 640.0),
    Kind(b"headphones", b"electronics", 120.0),
    Kind(b"jacket", b"clothing", 110.0),
    Kind(b"boots", b"clothing", 95.0),
    Kind(b"atlas", b"books", 30.0),
    Kind(b"cookbook", b"books", 24.0),
)


def money(amount: float) -> bytes:
    """Write an amount with its cents, as JSON."""
    cents = int(amount * 100)
    return b"%d.%02d" % (cents // 100, cents % 100)
