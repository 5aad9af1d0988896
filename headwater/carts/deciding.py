"""What becomes of a command: an event, or a rejection. A pure function of the cart and the command.

An event's time is that of its command's arrival, not of the moment at which somebody got round to deciding
it. So the events follow from the commands alone, to the byte, and an outage of the decider moves none. Only
where arrivals are out of order is it later: events of a cart are a millisecond apart at least.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from headwater.carts.cart import evolve
from headwater.carts.messages import Event, Rejection

if TYPE_CHECKING:
    from headwater.carts.cart import Cart
    from headwater.carts.messages import Command, Happened

# What a cart holds has to fit into an event.
MOST_PRODUCTS = 100
MOST_PIECES = 999
TOO_MANY = f"more than {MOST_PIECES} of one product"


class Outcome(NamedTuple):
    """What a command that can be followed does to a line of the cart."""

    kind: Happened
    quantity: int = 0


def decide(cart: Cart, command: Command, received_at: int) -> Event | Rejection:
    """Decide a command on the cart as it is."""
    outcome = _refusal(cart, command) or _outcome(cart, command)
    if isinstance(outcome, str):
        return _rejection(command, outcome, received_at)
    return _event(cart, command, outcome, max(received_at, cart.changed_at + 1))


def _refusal(cart: Cart, command: Command) -> str:
    """Return why nothing can be done with the cart, whatever it is."""
    if command.expected_version not in (None, cart.version):
        return f"expected version {command.expected_version}, the cart has version {cart.version}"
    if cart.checked_out:
        return "the cart is checked out"
    if cart.version and command.user_id != cart.user_id:
        return "the cart is somebody else's"
    return ""


def _outcome(cart: Cart, command: Command) -> Outcome | str:
    """Return what the command does, or why it cannot."""
    if command.kind == "check_out":
        return Outcome("CheckedOut") if cart.lines else "the cart is empty"
    if command.product_id is None:
        return "no product is named"
    has = cart.lines.get(command.product_id, 0)
    if command.kind == "remove":
        return Outcome("ItemRemoved") if has else "the product is not in the cart"
    if command.kind == "change" and not has:
        return "the product is not in the cart"
    if command.quantity is None:
        return "no quantity is named"
    if command.quantity < 1:
        return "the quantity is less than 1"
    if command.kind == "change":
        return _changed(has, command.quantity)
    return _added(cart, has, command.quantity)


def _changed(has: int, wanted: int) -> Outcome | str:
    if wanted == has:
        return f"the quantity is {has} already"
    return Outcome("QuantityChanged", wanted) if wanted <= MOST_PIECES else TOO_MANY


def _added(cart: Cart, has: int, more: int) -> Outcome | str:
    if not has and len(cart.lines) >= MOST_PRODUCTS:
        return f"the cart has {MOST_PRODUCTS} products already"
    return Outcome("ItemAdded", has + more) if has + more <= MOST_PIECES else TOO_MANY


def _event(cart: Cart, command: Command, outcome: Outcome, at: int) -> Event:
    product = None if outcome.kind == "CheckedOut" else command.product_id
    event = Event(
        event_id=command.event_id,
        cart_id=command.cart_id,
        user_id=command.user_id,
        kind=outcome.kind,
        version=cart.version + 1,
        product_id=product,
        quantity=outcome.quantity if product else None,
        change=outcome.quantity - cart.lines.get(product, 0) if product else None,
        contents="",
        contents_before=cart.contents,
        began_at=cart.began_at if cart.version else at,
        previous_at=cart.changed_at if cart.version else None,
        occurred_at=at,
        sent_at=at,
    )
    return event.model_copy(update={"contents": evolve(cart, event).contents})


def _rejection(command: Command, reason: str, at: int) -> Rejection:
    return Rejection(
        event_id=command.event_id,
        cart_id=command.cart_id,
        user_id=command.user_id,
        kind=command.kind,
        reason=reason,
        occurred_at=at,
        sent_at=at,
    )
