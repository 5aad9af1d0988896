"""Events of carts as a view sees them: decided from commands, as the service does."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from headwater.carts.cart import NEW, Cart, evolve
from headwater.carts.deciding import decide
from headwater.carts.messages import Command, Event
from headwater.topics import load_topics
from spark_apps import pipeline
from tests.log_records import at, milliseconds, record, records

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_apps.view import View

TOPIC = load_topics()["cart_events"]


@dataclass
class CartLog:
    """A log of events, by what was wanted of which cart, and how many minutes after noon."""

    carts: dict[str, Cart] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    def wanted(self, cart: str, minutes: float, kind: str, product: str = "", quantity: int = 0) -> None:
        fields: dict[str, Any] = {"event_id": f"e{len(self.events)}", "cart_id": cart, "kind": kind}
        fields |= {"user_id": f"owner of {cart}", "occurred_at": 1, "sent_at": 1}
        fields |= {"product_id": product or None, "quantity": quantity or None}
        now, command = self.carts.get(cart, NEW), Command.model_validate(fields)
        event = decide(now, command, milliseconds(at(minutes)))
        assert isinstance(event, Event)
        self.carts[cart] = evolve(now, event)
        self.events.append(event)

    def rows(self, spark: SparkSession, view: View, *chosen: int) -> DataFrame:
        """Return the rows of a view, by the batch engine, of all events or of those at some places."""
        events = [self.events[place] for place in chosen] if chosen else self.events
        told = [
            record(event.encoded(), key=event.cart_id.encode(), offset=place, received=_received(event))
            for place, event in enumerate(events)
        ]
        return pipeline.batch_rows(view, {TOPIC.name: records(spark, told)}, {TOPIC.name: TOPIC})


def _received(event: Event) -> datetime:
    return datetime.fromtimestamp(event.occurred_at / 1000, UTC)
