"""The service of the carts on a log of a test's own."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater import carts, offsets
from headwater.brokers import admin_client
from headwater.carts import Route
from headwater.carts.route import ROLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from headwater.settings import Settings
    from tests.streams import Log

CARTS = ("cart_commands", "cart_events", "rejected_commands")
PATIENCE_SECONDS = 600


def route_of(log: Log) -> Route:
    commands, events, rejections = (log.topics[name] for name in CARTS)
    group = f"headwater.carts.test{log.suffix}"
    return Route(commands=commands, events=events, rejections=rejections, group=group)


@contextmanager
def deciding(log: Log, name: str | None = "one") -> Iterator[Callable[[], None]]:
    """Run the service until the block ends; what it returns waits until all commands are decided."""
    stop, route = threading.Event(), route_of(log)
    thread = threading.Thread(target=carts.run, args=(log.settings, route, stop, name))
    thread.start()
    try:
        yield lambda: _wait(log.settings, route, thread)
    finally:
        stop.set()
        thread.join(timeout=PATIENCE_SECONDS)
        assert not thread.is_alive()


def _wait(settings: Settings, route: Route, thread: threading.Thread) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    with admin_client(settings, ROLE) as client:
        ends = offsets.ends(client, route.commands.name)
        while _decided(client, route) != {partition: end for partition, end in ends.items() if end}:
            assert thread.is_alive()
            assert time.monotonic() < deadline, "commands are not decided"
            time.sleep(0.1)


def _decided(client: object, route: Route) -> offsets.Offsets:
    return offsets.published(client, route.group).get(route.commands.name, {})  # type: ignore[arg-type]
