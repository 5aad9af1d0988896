"""A notifier as a process of its own, which a test can kill or stop at a moment that it names.

Arguments, as one JSON object: home of the instance, alerts and notifications (names of topics), group, name,
channels, and moment with what to do then: "kill" or "stop" (as SIGSTOP does; only the first time).
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kafka import KafkaConsumer, KafkaProducer

from headwater import notifier
from headwater.settings import Settings
from headwater.stopping import stop_on_signal
from headwater.topics import load_topics
from headwater.transacting import desk
from headwater.transacting.following import Follower

if TYPE_CHECKING:
    from collections.abc import Callable

SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}


def commit_without_waiting(producer: KafkaProducer) -> None:
    """Ask for the commit, and leave open whether Kafka hears of it before the process dies."""
    producer._transaction_manager.begin_commit()
    producer._sender.wakeup()


# The steps of the notifier, in their order: what is called there, and whether the moment is before or after.
MOMENTS: dict[str, tuple[Any, str, str]] = {
    "before the fence": (KafkaProducer, "init_transactions", "before"),
    "after the fence": (KafkaProducer, "init_transactions", "after"),
    "after the memory is read": (desk, "recall", "after"),
    "after the seek": (Follower, "seek", "after"),
    "after the transaction has begun": (KafkaProducer, "begin_transaction", "after"),
    "after the first notification is handed over": (KafkaProducer, "send", "after"),
    "after all notifications are written": (KafkaProducer, "send_offsets_to_transaction", "before"),
    "after the offsets are written": (KafkaProducer, "commit_transaction", "before"),
    "while it commits": (KafkaProducer, "commit_transaction", "after"),
    "after the commit": (KafkaProducer, "commit_transaction", "after"),
    "after a delivery": (KafkaConsumer, "commit", "before"),
}


def interrupt(moment: str, how: str) -> None:
    """Let the process be killed or stopped at a moment."""
    if moment == "while it commits":
        KafkaProducer.commit_transaction = commit_without_waiting
    owner, name, when = MOMENTS[moment]
    original = getattr(owner, name)
    setattr(owner, name, _interrupted(original, when, SIGNALS[how]))


def _interrupted(original: Callable[..., Any], when: str, number: signal.Signals) -> Callable[..., Any]:
    left = [number]

    def called(*arguments: Any, **named: Any) -> Any:
        if when == "before" and left:
            os.kill(os.getpid(), left.pop())
        result = original(*arguments, **named)
        if when == "after" and left:
            os.kill(os.getpid(), left.pop())
        return result

    return called


def main(wish: dict[str, Any]) -> None:
    """Run until SIGTERM, or until the moment."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    logging.getLogger("kafka").setLevel(logging.ERROR)
    topics = load_topics()
    route = notifier.Route(
        alerts=topics["alerts"].model_copy(update={"name": wish["alerts"]}),
        notifications=topics["notifications"].model_copy(update={"name": wish["notifications"]}),
        group=wish["group"],
    )
    if wish["moment"]:
        interrupt(wish["moment"], wish["how"])
    settings = Settings.load(Path(wish["home"]))
    channels = notifier.chosen_channels(wish["channels"], settings.secret)
    with stop_on_signal() as stop:
        notifier.run(settings, route, channels, stop, wish["name"])


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
