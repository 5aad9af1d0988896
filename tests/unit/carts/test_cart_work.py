"""The work on a partition, without Kafka: what is malformed, what is a repeat, and what is recalled."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from headwater.carts import Route
from headwater.carts.messages import Command, Event, Message, Rejection
from headwater.carts.working import Deciding
from headwater.topics import load_topics
from headwater.topics.access import granted
from headwater.topics.topic import LARGEST_RECORD

NOON = 1_767_614_400_000
ROUTE = Route()


class Record(NamedTuple):
    """As much of a record as the work looks at."""

    value: bytes | None
    key: bytes | None = b"cart-1"
    timestamp: int = NOON
    offset: int = 7
    partition: int = 2
    topic: str = ROUTE.commands.name


def command(event_id: str = "c1", **changes: Any) -> bytes:
    fields = {"event_id": event_id, "cart_id": "cart-1", "user_id": "ada", "kind": "add", "quantity": 1}
    return json.dumps(fields | {"product_id": "lamp", "occurred_at": 1, "sent_at": 2} | changes).encode()


def answers(*records: Record, work: Deciding | None = None) -> list[tuple[str, dict[str, Any]]]:
    told = (work or Deciding(ROUTE)).answer(list(records))  # type: ignore[arg-type]
    return [(answer.topic, json.loads(answer.value)) for answer in told]


@pytest.mark.parametrize(
    ("topic", "message"),
    [("cart_commands", Command), ("cart_events", Event), ("rejected_commands", Rejection)],
)
def test_fields_are_those_that_the_files_declare(topic: str, message: type[Message]) -> None:
    declared = {name: field.optional for name, field in load_topics()[topic].fields.items()}
    assert declared == {name: not field.is_required() for name, field in message.model_fields.items()}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "no value"),
        (b"", "Invalid JSON"),
        (b"lamp please", "Invalid JSON"),
        (b"\xff", "Invalid JSON"),
        (b"[]", "Input should be an object"),
        (command()[:-20], "Invalid JSON"),
        (command(user_id=42), "user_id: Input should be a valid string"),
        (command(quantity="1"), "quantity: Input should be a valid integer"),
        (command(quantity=1.5), "quantity: Input should be a valid integer"),
        (command(quantity=float("nan")), "quantity: Input should be a valid integer"),
        (command(quantity=2**63), "quantity: Input should be less than"),
        (command(kind="steal"), "kind: Input should be 'add', 'remove', 'change' or 'check_out'"),
        (command(product_id="two words"), "product_id: String should match pattern"),
        (command(product_id="a:b"), "product_id: String should match pattern"),
        (command(product_id="lamp\n"), "product_id: String should match pattern"),
        (command(event_id="x" * 201), "event_id: String should have at most 200 characters"),
        (command(user_id="\ud800"), "Invalid JSON"),
        (command(cart_id="cart-2"), "the key is not the cart's id"),
        (command(padding="x" * 70_000), "too large: more than 64000 bytes"),
        (b'{"event_id": "c1"}', "cart_id: Field required"),
    ],
)
def test_malformed_command_is_rejected_and_named_by_its_place(value: bytes | None, reason: str) -> None:
    ((topic, told),) = answers(Record(value))
    assert topic == "rejected_commands"
    assert told["reason"].startswith("malformed: ")
    assert reason in told["reason"]
    assert (told["event_id"], told["cart_id"]) == ("cart_commands:2:7", "cart-1")
    assert told["occurred_at"] == NOON


@pytest.mark.parametrize("key", [None, b"", b"\xff" * LARGEST_RECORD])
def test_rejection_of_anything_can_be_written(key: bytes | None) -> None:
    """Otherwise one record would stop the service for ever."""
    (told,) = Deciding(ROUTE).answer([Record(b"", key, timestamp=-1)])  # type: ignore[list-item]
    assert 0 < len(told.key) + len(told.value) < ROUTE.rejections.largest_event
    assert told.timestamp == 0


def test_repeated_command_is_decided_once_be_it_followed_or_rejected() -> None:
    rejected = Record(command("c2", kind="remove", product_id="tent"))
    first, again = Record(command("c1")), Record(command("c1", sent_at=99))
    found = answers(first, rejected, again, rejected, first)
    assert [(topic, told["event_id"]) for topic, told in found] == [
        ("cart_events", "c1"),
        ("rejected_commands", "c2"),
    ]


def test_successor_that_recalls_decides_as_its_predecessor_would() -> None:
    before = [Record(command("c1")), Record(command("c2", kind="remove", product_id="tent"))]
    after = [
        *before,
        Record(command("c3", kind="change", quantity=5, expected_version=1)),
        Record(command("c4", kind="check_out", expected_version=1)),
        Record(command("c5", kind="check_out", expected_version=2)),
    ]
    one, successor = Deciding(ROUTE), Deciding(ROUTE)
    for told in one.answer(before):  # type: ignore[arg-type]
        successor.recall(told)
    assert successor.carts == one.carts
    found = answers(*after, work=successor)
    assert found == answers(*after, work=one)
    assert [told.get("kind") for topic, told in found if topic == "cart_events"] == [
        "QuantityChanged",
        "CheckedOut",
    ]


def test_carts_may_use_their_own_groups_and_transactions_and_no_others() -> None:
    entries = {entry for entry in granted(load_topics().values()) if entry.principal == "User:carts"}
    names = {(entry.kind, entry.name, entry.pattern) for entry in entries if entry.kind != "TOPIC"}
    assert names == {
        ("GROUP", "headwater.carts", "PREFIXED"),
        ("TRANSACTIONAL_ID", "headwater.carts", "PREFIXED"),
    }
    writes = {entry.name for entry in entries if (entry.kind, entry.operation) == ("TOPIC", "WRITE")}
    assert writes == {"cart_events", "rejected_commands"}
    assert ROUTE.transactional_id(0).startswith(ROUTE.group)
    assert ROUTE.group == "headwater.carts"
