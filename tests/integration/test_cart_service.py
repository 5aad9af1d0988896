"""Event sourcing on a real Kafka: commands in, events and rejections out, each command decided once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaProducer
from typer.testing import CliRunner

from headwater import offsets
from headwater.brokers import admin_client
from headwater.carts.auditing import audit
from headwater.carts.route import ROLE
from headwater.carts.showing import show
from headwater.carts.working import Deciding
from headwater.cli import cli
from headwater.errors import Refusal
from headwater.topics.reading import committed
from headwater.transacting import Answer
from spark_apps import catalog, sinks
from tests.deciding import CARTS, deciding, route_of
from tests.streams import Log, job_of, new_log, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.settings import Settings

PROCESS = Path(__file__).with_name("carts_process.py")
PATIENCE = 60
CRUCIAL = (
    "after the first notification is handed over",
    "while it commits",
    "after the commit",
)


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    return new_log(instance, *CARTS)


def command(cart: str, event_id: str, kind: str, product: str = "", **more: Any) -> tuple[bytes, bytes]:
    """Return key and value of a command."""
    fields = {"event_id": event_id, "cart_id": cart, "user_id": "ada", "kind": kind}
    fields |= {"occurred_at": 1, "sent_at": 1} | ({"product_id": product} if product else {}) | more
    return cart.encode(), json.dumps(fields).encode()


def send(log: Log, *commands: tuple[bytes, bytes | None], at: datetime | None = None) -> None:
    """Send commands, as one writer of several may."""
    moment = None if at is None else round(at.timestamp() * 1000)
    producer = KafkaProducer(**log.settings.kafka_client("simulator"))
    for key, value in commands:
        producer.send(log.topics["cart_commands"].name, key=key, value=value, timestamp_ms=moment)
    producer.flush(timeout=PATIENCE)
    producer.close(timeout=PATIENCE)


def told(log: Log) -> dict[tuple[str, int], list[Answer]]:
    """Return all that is committed in the log, by topic and partition."""
    with admin_client(log.settings, ROLE) as client:
        places = [
            (topic.name, partition)
            for topic in route_of(log).targets
            for partition in offsets.partitions(client, topic.name)
        ]
    return {
        place: [
            Answer(record.topic, record.key, record.value, record.timestamp)
            for record in committed(log.settings, ROLE, *place)
        ]
        for place in places
    }


def folded(log: Log) -> dict[tuple[str, int], list[Answer]]:
    """Return what must be in the log: a pure function of all commands, each partition at once."""
    route, expected = route_of(log), {}
    for partition in range(route.commands.partitions):
        answers = Deciding(route).answer(list(committed(log.settings, ROLE, route.commands.name, partition)))
        for topic in route.targets:
            expected[topic.name, partition] = [answer for answer in answers if answer.topic == topic.name]
    return expected


@pytest.mark.parametrize("moment", CRUCIAL)
def test_service_killed_at_a_crucial_step_decides_each_command_once(log: Log, moment: str) -> None:
    cart = moment.replace(" ", "-")
    adding = command(cart, f"{cart} 1", "add", "lamp", quantity=2)
    nonsense = [command(cart, f"{cart} 2", "remove", "tent"), (cart.encode(), None), (b"nobody", b"please")]
    racing = [
        command(cart, f"{cart} {number}", "change", "lamp", quantity=number, expected_version=1)
        for number in (3, 4)
    ]
    send(log, adding, *nonsense, adding, *racing, nonsense[0], command(cart, f"{cart} 5", "check_out"))
    route = route_of(log)
    names = [topic.name for topic in (route.commands, *route.targets)]
    wish = {"home": log.settings.home, "topics": names, "group": route.group, "moment": moment}
    died = subprocess.run([sys.executable, str(PROCESS), json.dumps(wish)], timeout=PATIENCE, check=False)
    assert died.returncode == -signal.SIGKILL
    with deciding(log) as decided:
        decided()
    found = told(log)
    assert found == folded(log)
    (events,) = [found[place] for place in found if _kinds(found[place], cart)]
    assert _kinds(events, cart) == ["ItemAdded", "QuantityChanged", "CheckedOut"]


def _kinds(answers: list[Answer], cart: str) -> list[str]:
    decided = [json.loads(answer.value) for answer in answers if answer.key == cart.encode()]
    return [decision["kind"] for decision in decided if "version" in decision]


def test_of_two_writers_that_race_for_a_version_one_wins_each_time(log: Log) -> None:
    """Two writers, and two deciders that share the partitions."""
    carts, barrier = [f"raced-{number}" for number in range(20)], threading.Barrier(2)

    def write(writer: str) -> None:
        wanted = [
            command(cart, f"{cart} {writer}", "change", "lamp", quantity=2, expected_version=1)
            for cart in carts
        ]
        barrier.wait()
        send(log, *wanted)

    with deciding(log, "one") as decided, deciding(log, "two"):
        send(log, *(command(cart, f"{cart} first", "add", "lamp", quantity=1) for cart in carts))
        writers = [threading.Thread(target=write, args=(name,)) for name in ("left", "right")]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        decided()
    found = told(log)
    assert found == folded(log)
    decisions = [json.loads(answer.value) for answers in found.values() for answer in answers]
    for cart in carts:
        versions = [each["version"] for each in decisions if each["cart_id"] == cart and "version" in each]
        reasons = [each["reason"] for each in decisions if each["cart_id"] == cart and "reason" in each]
        assert sorted(versions) == [1, 2]
        assert reasons == ["expected version 1, the cart has version 2"]


def test_cart_is_shown_at_any_time_and_explained_with_places_in_the_log(
    log: Log, lake: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    noon = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
    wanted = [
        command("shown", "s1", "add", "lamp", quantity=2),
        command("shown", "s2", "remove", "tent"),
        command("shown", "s3", "add", "tent", quantity=1),
        command("shown", "s4", "check_out"),
    ]
    for minute, each in enumerate(wanted):
        send(log, each, at=noon + timedelta(minutes=minute))
    with deciding(log) as decided:
        decided()
    view = log.view(catalog.view("cart_history"))
    run(lake, job_of(lake, log, view))
    sinks.publish(lake, view)

    def lines(minutes: float | None) -> dict[str, int]:
        moment = None if minutes is None else noon + timedelta(minutes=minutes)
        return show(log.settings, "shown", moment, view.name).lines

    assert [lines(at) for at in (0, 1.9, 2, None)] == [{"lamp": 2}, {"lamp": 2}] + 2 * [
        {"lamp": 2, "tent": 1}
    ]
    assert show(log.settings, "shown", None, view.name).checked_out
    assert not show(log.settings, "shown", noon + timedelta(minutes=2.9), view.name).checked_out
    with pytest.raises(Refusal, match="was not there yet"):
        lines(-1)
    with pytest.raises(Refusal, match='has no cart "nobody\'s"'):
        show(log.settings, "nobody's", None, view.name)
    found = audit(log.settings, route_of(log), "shown")
    assert [(decision.what, decision.outcome) for decision in found] == [
        ("ItemAdded lamp +2", "version 1, lamp:2"),
        ("rejected remove", "the product is not in the cart"),
        ("ItemAdded tent +1", "version 2, lamp:2 tent:1"),
        ("CheckedOut", "version 3, lamp:2 tent:1"),
    ]
    assert found[0].place.startswith(f"{log.topics['cart_events'].name}:")
    assert found[1].place.startswith(f"{log.topics['rejected_commands'].name}:")
    with pytest.raises(Refusal, match="nothing was decided"):
        audit(log.settings, route_of(log), "nobody's")

    monkeypatch.setattr("headwater.carts.Route", lambda: route_of(log))
    monkeypatch.setattr("headwater.carts.showing.show", partial(show, view=view.name))
    printed = [CliRunner().invoke(cli, ["carts", word, "shown"]).output for word in ("show", "why")]
    assert "shown: version 3, checked out, of ada" in printed[0]
    assert f"{found[1].place}  rejected remove: the product is not in the cart" in printed[1]
