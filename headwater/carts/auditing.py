"""Why a cart looks as it does: all that was decided about it, with its place in the log."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from headwater import offsets
from headwater.brokers import admin_client
from headwater.carts.messages import Event, Rejection
from headwater.errors import Refusal
from headwater.partitioning import partition_of
from headwater.topics.reading import committed

if TYPE_CHECKING:
    from kafka.consumer.fetcher import ConsumerRecord

    from headwater.carts.route import Route
    from headwater.settings import Settings

ROLE = "console"  # people ask: not the service, which could also decide


class Decision(NamedTuple):
    """One decision: an event and the cart after it, or a rejection and its reason."""

    at: datetime
    place: str
    what: str
    outcome: str


def audit(settings: Settings, route: Route, cart_id: str) -> list[Decision]:
    """Read from the log what was decided about a cart, in order."""
    key = cart_id.encode()
    with admin_client(settings, ROLE) as client:
        partition = partition_of(key, len(offsets.partitions(client, route.events.name)))
    found = [
        _decision(record, is_event=topic is route.events)
        for topic in route.targets
        for record in committed(settings, ROLE, topic.name, partition)
        if record.key == key
    ]
    if not found:
        raise Refusal(
            f'nothing was decided about a cart "{cart_id}"',
            detail=f"Neither {' nor '.join(topic.name for topic in route.targets)} knows it.",
            hint="Is the service of the carts running? See `make status`.",
        )
    return sorted(found, key=lambda decision: decision.at)


def _decision(record: ConsumerRecord, *, is_event: bool) -> Decision:
    place = f"{record.topic}:{record.partition}:{record.offset}"
    if is_event:
        event = Event.model_validate_json(record.value)
        change = f" {event.product_id} {event.change:+d}" if event.change is not None else ""
        after = f"version {event.version}, {event.contents or 'empty'}"
        return Decision(_time(event), place, event.kind + change, after)
    rejection = Rejection.model_validate_json(record.value)
    return Decision(_time(rejection), place, f"rejected {rejection.kind or 'command'}", rejection.reason)


def _time(decided: Event | Rejection) -> datetime:
    return datetime.fromtimestamp(decided.occurred_at / 1000, UTC)
