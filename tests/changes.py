"""Changelogs written by hand, in the words of the capture: for tests that need rows and no database."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any

from kafka import KafkaProducer

from tests.log_records import NOON, milliseconds
from tests.people import SOMEBODY

if TYPE_CHECKING:
    from tests.streams import Log

OF_ORDERS = ("order_changelog", "order_item_changelog", "user_changelog")


class Changes:
    """A database that is none: each change has the next place in its log."""

    def __init__(self, log: Log) -> None:
        self._log, self._places = log, count(1000)
        self._kafka = KafkaProducer(**log.settings.kafka_client("admin"), acks="all")

    def tell(self, topic: str, **row: Any) -> None:
        """Tell of a row as it is now."""
        self._send(topic, row | {"__deleted": "false"})

    def farewell(self, topic: str, key: str) -> None:
        """Tell that a row is gone: first with its place, and then without a value."""
        own = self._log.topics[topic]
        unknown = {name: "" if field.type == "string" else 0 for name, field in own.fields.items()}
        self._send(topic, unknown | {own.key: key, "__deleted": "true"})
        self._kafka.send(own.name, key=key.encode(), value=None)

    def order(self, number: int, person: str, *, pieces: int) -> None:
        """Tell of an order of one thing."""
        times = dict.fromkeys(("ordered_at", "updated_at"), milliseconds(NOON))
        order = f"order-{number:03d}"
        self.tell("order_changelog", order_id=order, user_id=person, status="placed", **times)
        item = {"item_id": f"{order}-0", "order_id": order, "product_id": "lamp"}
        self.tell("order_item_changelog", **item, quantity=pieces, price="2.50")

    def person(self, name: str, country: str) -> None:
        """Tell of somebody who lives somewhere."""
        self.tell("user_changelog", user_id=name, name=SOMEBODY, country=country, plan="free")

    def done(self) -> None:
        """Wait until all is in the log."""
        self._kafka.flush()

    def _send(self, topic: str, row: dict[str, Any]) -> None:
        own, place = self._log.topics[topic], {"lsn": next(self._places), "committed_at": milliseconds(NOON)}
        self._kafka.send(own.name, key=row[own.key].encode(), value=json.dumps(row | place).encode())
