"""A cart, and how an event changes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headwater.carts.messages import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Cart:
    """A cart at one moment. One that nobody has used yet has version 0. Times are epoch milliseconds."""

    version: int = 0
    user_id: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)  # how many of each product
    checked_out: bool = False
    began_at: int = -1
    changed_at: int = -1

    @property
    def contents(self) -> str:
        """Tell the lines as text, always in the same order."""
        return " ".join(sorted(f"{product}:{quantity}" for product, quantity in self.lines.items()))


NEW = Cart()


def lines_of(contents: str) -> dict[str, int]:
    """Read lines that are told as text."""
    told = (line.split(":") for line in contents.split())
    return {product: int(quantity) for product, quantity in told}


def evolve(cart: Cart, event: Event) -> Cart:
    """Return the cart after an event."""
    if event.version != cart.version + 1:
        raise ValueError(f"cart {event.cart_id}: version {event.version} cannot follow {cart.version}")
    lines = {product: quantity for product, quantity in cart.lines.items() if product != event.product_id}
    if event.product_id and event.quantity:
        lines[event.product_id] = event.quantity
    return Cart(
        version=event.version,
        user_id=event.user_id,
        lines=lines,
        checked_out=event.kind == "CheckedOut",
        began_at=event.began_at,
        changed_at=event.occurred_at,
    )
