"""Deciding the commands of one partition, one after the other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from headwater.carts.cart import NEW, Cart, evolve
from headwater.carts.deciding import decide
from headwater.carts.messages import Command, Event, Rejection
from headwater.transacting import Answer, Work
from headwater.transacting.memory import Memory
from headwater.transacting.reading import Malformed, read

if TYPE_CHECKING:
    from kafka.consumer.fetcher import ConsumerRecord

    from headwater.carts.route import Route

LONGEST_ID = 200


class Deciding(Work):
    """The carts of one partition, as their events tell them, and the commands that were decided."""

    def __init__(self, route: Route) -> None:
        self.route = route
        self.carts: dict[str, Cart] = {}
        self.decided = Memory(route.remembered_for)

    def recall(self, told: Answer | ConsumerRecord) -> None:
        """Learn from an event or a rejection."""
        if told.topic == self.route.events.name:
            event = Event.model_validate_json(told.value)
            self.carts[event.cart_id] = evolve(self.carts.get(event.cart_id, NEW), event)
        self.decided.add(json.loads(told.value)["event_id"], told.timestamp)

    def answer(self, records: list[ConsumerRecord]) -> list[Answer]:
        """Return the events and rejections of commands, in their order; a repeat has none."""
        answers = []
        for record in records:
            if (decision := self._decision(record)) is not None:
                answers.append(self._told(decision))
                self.recall(answers[-1])
        return answers

    def _decision(self, record: ConsumerRecord) -> Event | Rejection | None:
        received_at = max(record.timestamp, 0)
        try:
            command = read(Command, record.value, self.route.commands.largest_event)
            if record.key != command.cart_id.encode():
                raise Malformed("the key is not the cart's id")
        except Malformed as reason:
            return _malformed(record, str(reason), received_at)
        if command.event_id in self.decided:
            return None
        return decide(self.carts.get(command.cart_id, NEW), command, received_at)

    def _told(self, decision: Event | Rejection) -> Answer:
        topic = self.route.events if isinstance(decision, Event) else self.route.rejections
        return Answer(topic.name, decision.cart_id.encode(), decision.encoded(), decision.occurred_at)


def _malformed(record: ConsumerRecord, reason: str, at: int) -> Rejection:
    """Reject what is no command: known by its place in the log, since it may have no id."""
    key = (record.key or b"").decode(errors="replace")
    return Rejection(
        event_id=f"{record.topic}:{record.partition}:{record.offset}",
        cart_id=key[:LONGEST_ID] or "unknown",
        reason=f"malformed: {reason}",
        occurred_at=at,
        sent_at=at,
    )
