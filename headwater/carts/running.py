"""Running the service that decides what becomes of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater import transacting
from headwater.carts.working import Deciding

if TYPE_CHECKING:
    import threading

    from headwater.carts.route import Route
    from headwater.settings import Settings


def run(settings: Settings, route: Route, stop: threading.Event, name: str | None = None) -> None:
    """Decide until `stop` is set; several may run at once, as `transacting.run` says."""
    transacting.run(settings, route, lambda: Deciding(route), stop, name)
