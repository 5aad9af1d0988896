"""The notifier on a real Kafka: killed at every step, frozen in the middle, and twice at once."""

from __future__ import annotations

import json
import os
import signal
import socketserver
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ScramMechanism, UserScramCredentialDeletion

from headwater import notifier, offsets
from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.local.steps import bring_topics_in_step
from headwater.notifier import Route
from headwater.topics import load_topics
from headwater.topics.applying import apply
from headwater.topics.plan import plan
from tests.integration.notifier_process import MOMENTS
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings

PATIENCE = 300
PROCESS = Path(__file__).with_name("notifier_process.py")
STEPS = [moment for moment in MOMENTS if moment != "after a delivery"]
MALFORMED = (b"fire!", b'{"event_id": "half"}', b"\xff", None)


class Desk:
    """A pair of topics of the test's own, and all that is said about them."""

    def __init__(self, settings: Settings, partitions: int, notified_in: int | None = None) -> None:
        self.settings = settings
        unique = uuid.uuid4().hex[:8]
        alerts, notifications = (
            load_topics()[name].model_copy(update={"name": f"test_{name}_{unique}", "partitions": count})
            for name, count in (("alerts", partitions), ("notifications", notified_in or partitions))
        )
        self.route = Route(
            alerts=alerts, notifications=notifications, group=f"headwater.notifier.test_{unique}"
        )
        self.topics = {topic.name: topic for topic in (alerts, notifications)}
        apply(settings, plan(settings, self.topics))
        self.client = KafkaAdminClient(**settings.kafka_client("notifier"))
        self.reader = KafkaConsumer(**settings.kafka_client("notifier"), isolation_level="read_committed")
        self.reader.assign([TopicPartition(notifications.name, p) for p in range(notifications.partitions)])
        self.reader.seek_to_beginning()
        self.seen: Counter[str] = Counter()

    def write(self, *values: bytes | None) -> None:
        """Write alerts, spread over the partitions by their subjects."""
        producer = KafkaProducer(**self.settings.kafka_client("control"))
        for value in values:
            producer.send(self.route.alerts.name, key=_subject(value), value=value)
        producer.flush(timeout=PATIENCE)
        producer.close(timeout=PATIENCE)

    def told(self) -> Counter[str]:
        """Return how often each alert was notified, for a reader who sees what is committed."""
        for place, end in self.reader.end_offsets(list(self.reader.assignment())).items():
            while self.reader.position(place) < end:
                for records in self.reader.poll(timeout_ms=200).values():
                    self.seen.update(json.loads(record.value)["event_id"] for record in records)
        return Counter(self.seen)

    def handled(self) -> bool:
        """Say whether every alert was read, in a transaction that is committed and seen to be.

        A group may have its offsets a moment before readers have what was written with them.
        """
        ends = offsets.ends(self.client, self.route.alerts.name)
        read = offsets.published(self.client, self.route.group).get(self.route.alerts.name, {})
        return all(read.get(partition, 0) == end for partition, end in ends.items()) and not self.open()

    def open(self) -> bool:
        """Say whether there are notifications that no reader sees yet."""
        written = offsets.ends(self.client, self.route.notifications.name)
        seen = self.reader.end_offsets(list(self.reader.assignment()))
        return any(end < written[place.partition] for place, end in seen.items())

    def command(self, moment: str = "", how: str = "kill", **more: Any) -> list[str]:
        """Return the command of a notifier that comes to grief at a moment."""
        route = self.route
        wish = {"home": self.settings.home, "alerts": route.alerts.name, "group": route.group, "name": None}
        wish |= {"notifications": route.notifications.name, "channels": {}, "moment": moment, "how": how}
        return [sys.executable, str(PROCESS), json.dumps(wish | more)]

    @contextmanager
    def running(self, channels: dict[str, dict[str, str]] | None = None, name: str = "one") -> Iterator[None]:
        """Run a notifier in this process until the block ends."""
        stop = threading.Event()
        arguments = (
            self.settings,
            self.route,
            notifier.chosen_channels(channels or {}, self.settings.secret),
            stop,
            name,
        )
        thread = threading.Thread(target=notifier.run, args=arguments)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join(timeout=PATIENCE)
            assert not thread.is_alive()

    def remove(self) -> None:
        self.client.close()
        self.reader.close()
        with KafkaAdminClient(**self.settings.kafka_client("admin")) as admin:
            admin.delete_topics(list(self.topics))


@pytest.fixture(scope="module")
def desk(instance: Settings) -> Iterator[Desk]:
    desk = Desk(instance, partitions=1)
    yield desk
    desk.remove()


@pytest.fixture
def wide_desk(instance: Settings) -> Iterator[Desk]:
    desk = Desk(instance, partitions=2)
    yield desk
    desk.remove()


def alert(event_id: str, subject: str = "app traffic") -> bytes:
    now = int(time.time() * 1000)
    fields = {"event_id": event_id, "subject": subject, "kind": "test", "state": "raised", "message": "Hm."}
    return json.dumps(fields | {"occurred_at": now, "sent_at": now}).encode()


def _subject(value: bytes | None) -> bytes:
    try:
        return str(json.loads(value or b"")["subject"]).encode()
    except (ValueError, KeyError):
        return b"nobody"


@pytest.mark.parametrize("moment", STEPS)
def test_notifier_killed_at_any_step_notifies_each_alert_exactly_once(desk: Desk, moment: str) -> None:
    before = desk.told()
    new = [f"{moment.replace(' ', '-')}-{number}" for number in range(3)]
    repeats = [new[0], *sorted(before)[:1]]
    desk.write(*map(alert, new[:2]), *MALFORMED, *map(alert, repeats), alert(new[2]))
    died = subprocess.run(desk.command(moment, name="one"), timeout=PATIENCE, check=False)
    assert died.returncode == -signal.SIGKILL
    left = desk.told() - before
    all_or_nothing = {"after the commit": [3], "while it commits": [0, 3]}
    assert left.total() in all_or_nothing.get(moment, [0])
    with desk.running(name="one"):
        wait_for("all alerts to be handled", desk.handled)
    assert desk.told() == before + Counter(new)


def test_frozen_notifier_that_wakes_up_does_not_notify_what_another_has(
    wide_desk: Desk, tmp_path: Path
) -> None:
    """Two share the partitions; one is stopped in the middle of a transaction, and later goes on with it."""
    logs = {name: tmp_path / name for name in ("frozen", "other")}
    with process(wide_desk.command("after all notifications are written", "stop"), logs["frozen"]) as frozen:
        wait_for("both partitions to be taken", lambda: taken(logs["frozen"]) == {0, 1})
        with process(wide_desk.command(), logs["other"]):
            wait_for(
                "one partition for each", lambda: len(taken(logs["frozen"])) == len(taken(logs["other"])) == 1
            )
            first = [f"alert-{number}" for number in range(40)]
            wide_desk.write(*(alert(event_id, subject=event_id) for event_id in first))
            wait_for("the notifier to be frozen", lambda: state(frozen.pid) == "T")
            wait_for("all alerts to be handled", wide_desk.handled)
            assert wide_desk.told() == Counter(first)
            os.kill(frozen.pid, signal.SIGCONT)
            wait_for(
                "the notifier to start again", lambda: "notifier starts again" in logs["frozen"].read_text()
            )
            wait_for(
                "one partition for each", lambda: len(taken(logs["frozen"])) == len(taken(logs["other"])) == 1
            )
            second = [f"later-{number}" for number in range(40)]
            wide_desk.write(*(alert(event_id, subject=event_id) for event_id in first + second))
            wait_for("all alerts to be handled", wide_desk.handled)
            assert wide_desk.told() == Counter(first + second)


def taken(log: Path) -> set[int]:
    """Return the partitions that a notifier works on, by what it says."""
    partitions: set[int] = set()
    for line in log.read_text().splitlines():
        words, _, rest = line.partition(" partition=")
        if words == "took over":
            partitions.add(int(rest.split()[0]))
        elif words == "gave up":
            partitions.discard(int(rest))
        elif words.startswith("notifier starts again"):
            partitions.clear()
    return partitions


@contextmanager
def process(command: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output, subprocess.Popen(command, stdout=output) as running:
        try:
            yield running
        finally:
            running.kill()


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


class Mailbox(socketserver.StreamRequestHandler):
    """As much of a mail server as an e-mail needs."""

    mails: list[str]

    def handle(self) -> None:
        self.say("220 here")
        while word := self.rfile.readline().decode().strip()[:4].upper():
            if word == "DATA":
                self.say("354 go on")
                lines = iter(lambda: self.rfile.readline().decode(), ".\r\n")
                self.mails.append("".join(lines))
            self.say("221 bye" if word == "QUIT" else "250 fine")

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class Hook(BaseHTTPRequestHandler):
    """Takes what is posted, unless it is out of order."""

    calls: list[tuple[str, str, int]]  # key, id in the body, status of the answer
    status = 204

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.calls.append((self.headers["Idempotency-Key"], body["event_id"], self.status))
        self.send_response(self.calls[-1][2])
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(server: socketserver.TCPServer) -> Iterator[str]:
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield str(server.server_address[1])
        server.shutdown()
        thread.join()


@pytest.fixture
def mailbox() -> Iterator[tuple[str, list[str]]]:
    Mailbox.mails = []
    with served(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mailbox)) as port:
        yield port, Mailbox.mails


@pytest.fixture
def hook() -> Iterator[str]:
    Hook.calls, Hook.status = [], 204
    with served(ThreadingHTTPServer(("127.0.0.1", 0), Hook)) as port:
        yield f"http://127.0.0.1:{port}/alerts"


def test_channel_that_fails_is_tried_again_and_holds_up_no_other(
    desk: Desk, mailbox: tuple[str, list[str]], hook: str
) -> None:
    port, mails = mailbox
    email = {"host": "127.0.0.1", "port": port, "sender": "headwater@localhost", "recipient": "us@localhost"}
    Hook.status = 503
    desk.write(alert("mail-0"))
    with desk.running({}):
        wait_for("all alerts to be handled", desk.handled)
    with desk.running({"email": email, "webhook": {"url": hook}}):
        desk.write(alert("mail-1"), alert("mail-2"))
        wait_for("mails and a call", lambda: len(mails) == 2 and bool(Hook.calls))
        Hook.status = 204
        wait_for("the second try", lambda: ("mail-2", "mail-2", 204) in Hook.calls)
    # In their order, and not what was told before there was a webhook.
    failed = [call for call in Hook.calls if call[2] == 503]
    assert set(failed) == {("mail-1", "mail-1", 503)}
    assert Hook.calls == [*failed, ("mail-1", "mail-1", 204), ("mail-2", "mail-2", 204)]
    for mail, event_id in zip(mails, ("mail-1", "mail-2"), strict=True):
        assert f"Message-ID: <{event_id}@headwater>\r\n" in mail
        assert "Subject: [raised] test: app traffic: Hm.\r\n" in mail


def test_crash_after_a_delivery_delivers_again_with_the_same_key(desk: Desk, hook: str) -> None:
    channels = {"webhook": {"url": hook}}
    desk.write(alert("hook-1"))
    command = desk.command("after a delivery", name="one", channels=channels)
    assert subprocess.run(command, timeout=PATIENCE, check=False).returncode == -signal.SIGKILL
    assert [key for key, _, _ in Hook.calls] == ["hook-1"]
    with desk.running(channels):
        desk.write(alert("hook-2"))
        wait_for("three calls", lambda: len(Hook.calls) == 3)
    assert [key for key, _, _ in Hook.calls] == ["hook-1", "hook-1", "hook-2"]


def test_topics_with_different_numbers_of_partitions_are_refused(instance: Settings) -> None:
    desk = Desk(instance, partitions=1, notified_in=2)
    stopped = threading.Event()
    stopped.set()
    try:
        with pytest.raises(Refusal, match="have different numbers of partitions"):
            notifier.run(instance, desk.route, [], stopped)
    finally:
        desk.remove()


def test_instance_that_is_older_than_the_notifier_gets_its_user(instance: Settings) -> None:
    with KafkaAdminClient(**instance.kafka_client("admin")) as admin:
        gone = UserScramCredentialDeletion("notifier", ScramMechanism.SCRAM_SHA_512)
        admin.alter_user_scram_credentials([gone])
    assert bring_topics_in_step(instance).changed
    with admin_client(instance, "notifier") as client:
        assert offsets.partitions(client, "alerts") == [0]
