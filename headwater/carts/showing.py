"""A cart, now or at any time: asked of the view, which answers as fast however long the log has grown.

The view `cart_history` is a minute or two behind the log. Whoever needs the last word asks the log itself, as
the decider does, and as the audit does (`auditing.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater import lake
from headwater.carts.cart import lines_of
from headwater.errors import Refusal

if TYPE_CHECKING:
    from datetime import datetime

    from headwater.settings import Settings

VIEW = "cart_history"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """What a cart was, from when until when (None: still)."""

    held_from: datetime
    held_until: datetime | None
    version: int
    user_id: str
    lines: dict[str, int]
    checked_out: bool


def show(settings: Settings, cart_id: str, at: datetime | None = None, view: str = VIEW) -> Stretch:
    """Return a cart as it is, or as it was at a time."""
    from pyiceberg.expressions import EqualTo

    found = lake.view_table(settings, view).scan(row_filter=EqualTo(term="cart_id", value=cart_id)).to_arrow()
    stretches = sorted(map(_stretch, found.to_pylist()), key=lambda stretch: stretch.held_from)
    if not stretches:
        raise Refusal(
            f'the view "{view}" has no cart "{cart_id}"',
            detail="It is up to two minutes behind the log.",
            hint=f"Ask the log itself: `headwater carts why {cart_id}`.",
        )
    begun = [stretch for stretch in stretches if at is None or stretch.held_from <= at]
    if not begun:
        began = stretches[0].held_from.isoformat(" ", "milliseconds")
        raise Refusal(f'cart "{cart_id}" was not there yet', detail=f"It began at {began}.")
    return begun[-1]


def _stretch(row: dict[str, Any]) -> Stretch:
    lines = lines_of(row.pop("contents"))
    return Stretch(lines=lines, **{name: value for name, value in row.items() if name != "cart_id"})
