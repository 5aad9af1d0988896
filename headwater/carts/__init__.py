"""Shopping carts by event sourcing: what people want is decided, and what happened is kept for ever.

    cart_commands ──► decide ──┬──► cart_events          ItemAdded, ItemRemoved, QuantityChanged, CheckedOut
                      ▲        └──► rejected_commands    with the reason
                      │ evolve
                      └──── cart_events                  a cart is the sum of its events, and nothing else

Deciding is a pure function. Around it is one Kafka transaction for the events, the rejections and how far the
commands were read (`headwater/transacting`); so each command is decided once, whatever crashes. The decider
of a partition is the only one: of two commands that expect the same version, the second is too late.
"""

from headwater.carts.route import Route
from headwater.carts.running import run

__all__ = ["Route", "run"]
