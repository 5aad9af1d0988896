"""Deciding is a pure function: every rule of it, and what holds for whatever people want."""

from __future__ import annotations

from random import Random
from typing import Any, get_args

import pytest

from headwater.carts.cart import NEW, Cart, evolve
from headwater.carts.deciding import MOST_PIECES, MOST_PRODUCTS, decide
from headwater.carts.messages import Command, Event, Rejection

NOON = 1_767_614_400_000
FULL = {f"product-{number:03d}": 1 for number in range(MOST_PRODUCTS)}
CART = Cart(version=3, user_id="ada", lines={"lamp": 2, "tent": 1}, began_at=NOON - 60, changed_at=NOON - 10)


def command(kind: str, product: str | None = None, quantity: int | None = None, **more: Any) -> Command:
    fields = {"event_id": "c1", "cart_id": "cart-1", "user_id": "ada", "occurred_at": 1, "sent_at": 2}
    fields |= {"kind": kind, "product_id": product, "quantity": quantity} | more
    return Command.model_validate(fields)


def cart(**changes: Any) -> Cart:
    known = {name: getattr(CART, name) for name in Cart.__dataclass_fields__}
    return Cart(**known | changes)


@pytest.mark.parametrize(
    ("before", "wanted", "told", "after"),
    [
        (NEW, command("add", "lamp", 2), ("ItemAdded", "lamp", 2, 2), "lamp:2"),
        (CART, command("add", "lamp", 3), ("ItemAdded", "lamp", 5, 3), "lamp:5 tent:1"),
        (CART, command("add", "boots", 1), ("ItemAdded", "boots", 1, 1), "boots:1 lamp:2 tent:1"),
        (CART, command("add", "lamp", MOST_PIECES - 2), ("ItemAdded", "lamp", 999, 997), "lamp:999 tent:1"),
        (CART, command("change", "lamp", 1), ("QuantityChanged", "lamp", 1, -1), "lamp:1 tent:1"),
        (CART, command("change", "tent", 999), ("QuantityChanged", "tent", 999, 998), "lamp:2 tent:999"),
        (CART, command("remove", "lamp"), ("ItemRemoved", "lamp", 0, -2), "tent:1"),
        (CART, command("remove", "lamp", 7), ("ItemRemoved", "lamp", 0, -2), "tent:1"),
        (CART, command("check_out"), ("CheckedOut", None, None, None), "lamp:2 tent:1"),
        (CART, command("check_out", "lamp", 9), ("CheckedOut", None, None, None), "lamp:2 tent:1"),
        (cart(lines=FULL), command("add", "product-000", 1), ("ItemAdded", "product-000", 2, 1), None),
        (CART, command("remove", "lamp", expected_version=3), ("ItemRemoved", "lamp", 0, -2), "tent:1"),
        (NEW, command("add", "lamp", 1, expected_version=0), ("ItemAdded", "lamp", 1, 1), "lamp:1"),
    ],
)
def test_command_that_can_be_followed_becomes_one_event(
    before: Cart, wanted: Command, told: tuple[object, ...], after: str | None
) -> None:
    event = decide(before, wanted, NOON)
    assert isinstance(event, Event)
    assert (event.kind, event.product_id, event.quantity, event.change) == told
    assert (event.event_id, event.cart_id, event.user_id) == ("c1", "cart-1", "ada")
    assert event.version == before.version + 1
    assert event.contents_before == before.contents
    assert event.contents == evolve(before, event).contents
    assert after is None or event.contents == after


@pytest.mark.parametrize(
    ("before", "wanted", "reason"),
    [
        (CART, command("add", "lamp", 0), "the quantity is less than 1"),
        (CART, command("add", "lamp", -3), "the quantity is less than 1"),
        (CART, command("change", "lamp", 0), "the quantity is less than 1"),
        (CART, command("add", "lamp"), "no quantity is named"),
        (CART, command("change", "lamp"), "no quantity is named"),
        (CART, command("add", None, 1), "no product is named"),
        (CART, command("change", None, 1), "no product is named"),
        (CART, command("remove"), "no product is named"),
        (CART, command("add", "lamp", MOST_PIECES - 1), "more than 999 of one product"),
        (CART, command("add", "lamp", 2**63 - 1), "more than 999 of one product"),
        (CART, command("change", "lamp", MOST_PIECES + 1), "more than 999 of one product"),
        (CART, command("change", "lamp", 2), "the quantity is 2 already"),
        (CART, command("change", "boots", 1), "the product is not in the cart"),
        (CART, command("remove", "boots"), "the product is not in the cart"),
        (NEW, command("remove", "lamp"), "the product is not in the cart"),
        (cart(lines=FULL), command("add", "one-more", 1), "the cart has 100 products already"),
        (NEW, command("check_out"), "the cart is empty"),
        (cart(lines={}), command("check_out"), "the cart is empty"),
        (cart(checked_out=True), command("add", "lamp", 1), "the cart is checked out"),
        (cart(checked_out=True), command("check_out"), "the cart is checked out"),
        (CART, command("check_out", user_id="bob"), "the cart is somebody else's"),
        (CART, command("check_out", expected_version=2), "expected version 2, the cart has version 3"),
        (CART, command("add", "lamp", 1, expected_version=4), "expected version 4, the cart has version 3"),
        (NEW, command("add", "lamp", 1, expected_version=1), "expected version 1, the cart has version 0"),
    ],
)
def test_command_that_cannot_be_followed_is_rejected_with_a_reason(
    before: Cart, wanted: Command, reason: str
) -> None:
    rejected = decide(before, wanted, NOON)
    assert isinstance(rejected, Rejection)
    assert rejected.reason == reason
    assert (rejected.event_id, rejected.kind, rejected.occurred_at) == ("c1", wanted.kind, NOON)


def test_of_two_commands_that_expect_the_same_version_only_the_first_wins() -> None:
    racing = [command("change", "lamp", 5, expected_version=3), command("remove", "lamp", expected_version=3)]
    for first, second in (racing, racing[::-1]):
        won = decide(CART, first, NOON)
        assert isinstance(won, Event)
        assert isinstance(decide(evolve(CART, won), second, NOON), Rejection)


def test_event_has_the_time_of_its_commands_arrival_and_is_later_than_the_one_before() -> None:
    for received, occurred in ((NOON, NOON), (CART.changed_at, NOON - 9), (0, NOON - 9)):
        event = decide(CART, command("check_out"), received)
        assert isinstance(event, Event)
        assert (event.occurred_at, event.sent_at, event.previous_at) == (occurred, occurred, NOON - 10)
        assert event.began_at == NOON - 60
    first = decide(NEW, command("add", "lamp", 1), NOON)
    assert isinstance(first, Event)
    assert (first.occurred_at, first.began_at, first.previous_at) == (NOON, NOON, None)


def test_cart_refuses_an_event_that_does_not_follow() -> None:
    event = decide(CART, command("check_out"), NOON)
    assert isinstance(event, Event)
    with pytest.raises(ValueError, match="version 4 cannot follow 4"):
        evolve(evolve(CART, event), event)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_people_want_the_events_tell_one_story(seed: int) -> None:
    """Random commands: versions without gaps, times that rise, and what is after one is before the next."""
    random, now, events = Random(seed), NEW, []
    kinds = get_args(Command.model_fields["kind"].annotation)
    for number in range(300):
        wanted = command(
            random.choice(kinds[:3]) if number < 299 else "check_out",
            random.choice(["lamp", "tent", "boots", None]),
            random.choice([-1, 0, 1, 2, 500, None]),
            expected_version=random.choice([None, None, now.version, now.version - 1]),
        )
        decided = decide(now, wanted, NOON + random.randrange(1000))
        if isinstance(decided, Event):
            assert decided == Event.model_validate_json(decided.encoded())
            before, now = now, evolve(now, decided)
            assert (decided.contents_before, decided.contents) == (before.contents, now.contents)
            assert all(0 < quantity <= MOST_PIECES for quantity in now.lines.values())
            events.append(decided)
    assert len(events) > 20
    assert [event.version for event in events] == list(range(1, len(events) + 1))
    times = [event.occurred_at for event in events]
    assert times == sorted(set(times))
    assert [event.previous_at for event in events] == [None, *times[:-1]]
    assert {event.began_at for event in events} == {times[0]}
