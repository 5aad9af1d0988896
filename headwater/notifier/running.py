"""Running the notifier: the transactions in this thread, each channel in one of its own."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from kafka.errors import AuthorizationError, KafkaError

from headwater import offsets
from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.notifier.delivering import deliver_until, mark_beginnings
from headwater.notifier.notifying import notify_until
from headwater.notifier.pauses import Pauses
from headwater.notifier.route import ROLE, Route

if TYPE_CHECKING:
    from headwater.notifier.channels import Channel
    from headwater.settings import Settings

log = logging.getLogger("headwater.notifier")

CLOSE_SECONDS = 15


def run(
    settings: Settings, route: Route, channels: list[Channel], stop: threading.Event, name: str | None = None
) -> None:
    """Notify and deliver until `stop` is set.

    Several may run at once and share the partitions. One that has a name and is started again takes the place
    of its predecessor at once; without one it waits until Kafka has noticed that the other is dead.
    """
    _refuse_other_partitions(settings, route)
    mark_beginnings(settings, route, channels)
    threads = [
        threading.Thread(target=deliver_until, args=(stop, settings, route, channel, name), name=channel.name)
        for channel in channels
    ]
    for thread in threads:
        thread.daemon = True
        thread.start()
    try:
        _notify(stop, settings, route, name)
    finally:
        stop.set()
        for thread in threads:
            thread.join(CLOSE_SECONDS)


def _notify(stop: threading.Event, settings: Settings, route: Route, name: str | None) -> None:
    """Notify again and again: what is aborted, fenced off or cut off begins anew, as after a crash."""
    pauses = Pauses()
    while not stop.is_set():
        try:
            notify_until(stop, settings, route, name, pauses)
        except AuthorizationError as error:
            raise Refusal(
                "Kafka does not let the notifier do its work",
                detail=f"{type(error).__name__}: {error}",
                hint="Run `headwater topics apply`: it grants what the topics' files say.",
            ) from error
        except KafkaError as error:
            pause = pauses.longer()
            log.warning("notifier starts again error=%s: %s in=%s s", type(error).__name__, error, pause)
            stop.wait(pause)


def _refuse_other_partitions(settings: Settings, route: Route) -> None:
    names = (route.alerts.name, route.notifications.name)
    with admin_client(settings, ROLE) as client:
        alerts, notifications = (len(offsets.partitions(client, name)) for name in names)
    if alerts != notifications:
        raise Refusal(
            f'topics "{names[0]}" and "{names[1]}" have different numbers of partitions',
            detail=f"{alerts} and {notifications}: an alert is notified in the partition of the same number.",
            hint="Declare the same number in both files, then `headwater topics apply --grow`.",
        )
