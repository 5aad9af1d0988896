"""A clerk at work: so many changed rows a second, on a thread of its own, as long as the shop is open."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater.people import keyring
from headwater.shop.database.clerk import Clerk
from headwater.shop.database.connecting import connect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings
    from headwater.shop.simulation import Simulation

LONGEST_REST = 1.0


@contextmanager
def at_work(settings: Settings, simulation: Simulation) -> Iterator[None]:
    """Let the clerk work while the block runs, if rows are to change at all; raise what went wrong."""
    if not simulation.changes:
        yield
        return
    home, troubles = threading.Event(), list[BaseException]()

    def work() -> None:
        try:
            keep_busy(settings, simulation, home)
        except BaseException as error:
            troubles.append(error)

    clerk = threading.Thread(target=work, name="clerk", daemon=True)
    clerk.start()
    try:
        yield
    finally:
        home.set()
        clerk.join()
    if troubles:
        raise troubles[0]


def keep_busy(settings: Settings, simulation: Simulation, home: threading.Event) -> int:
    """Change rows at an even rate until it is time to go home; return how many."""
    with connect(settings) as shop, keyring(settings) as keys:
        clerk = Clerk(shop, keys.seal, simulation.seed, simulation.users)
        clerk.stock()
        began, changed = time.monotonic(), 0
        while not home.is_set():
            early = changed / simulation.changes - (time.monotonic() - began)
            if early > 0 and home.wait(min(early, LONGEST_REST)):
                break
            if early <= LONGEST_REST:
                changed += clerk.work()
    return changed
