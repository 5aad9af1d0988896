"""Running the notifier: the transactions in this thread, each channel in one of its own."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from headwater import transacting
from headwater.notifier.delivering import deliver_until, mark_beginnings
from headwater.notifier.notifying import Notifying

if TYPE_CHECKING:
    from headwater.notifier.channels import Channel
    from headwater.notifier.route import Route
    from headwater.settings import Settings

CLOSE_SECONDS = 15


def run(
    settings: Settings, route: Route, channels: list[Channel], stop: threading.Event, name: str | None = None
) -> None:
    """Notify and deliver until `stop` is set; several may run at once, as `transacting.run` says."""
    mark_beginnings(settings, route, channels)
    threads = [
        threading.Thread(target=deliver_until, args=(stop, settings, route, channel, name), name=channel.name)
        for channel in channels
    ]
    for thread in threads:
        thread.daemon = True
        thread.start()
    try:
        transacting.run(settings, route, lambda: Notifying(route), stop, name)
    finally:
        stop.set()
        for thread in threads:
            thread.join(CLOSE_SECONDS)
