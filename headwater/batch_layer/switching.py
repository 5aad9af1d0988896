"""Switching days of a view from one layer to the other, each in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.batch_layer import days
from headwater.errors import Refusal
from headwater.registry import connect, releases
from headwater.serving import serve

if TYPE_CHECKING:
    from datetime import date

    from headwater.batch_layer.days import Offsets
    from headwater.replay.proof import Difference
    from headwater.settings import Settings


def switch(
    settings: Settings,
    query: str,
    day: date,
    rows: int,
    offsets: Offsets,
    difference: Difference,
) -> None:
    """Serve a day of a version from the batch layer, whose rows must be there: one transaction."""
    with connect(settings) as registry, registry.transaction():
        days.keep(registry, query, day, rows, offsets, difference)
        serve(settings, registry, releases.version(registry, query)["view"])


def withdraw(settings: Settings, view: str, day: date) -> str:
    """Serve a day of a view from the speed layer, until somebody asks for the day again."""
    with connect(settings) as registry, registry.transaction():
        live = releases.live_version(registry, view)
        withdrawn = registry.execute(
            "UPDATE batch_days SET served = false WHERE query = %s AND day = %s AND served",
            [live["query"], day],
        )
        if not withdrawn.rowcount:
            raise Refusal(
                f'the batch layer does not serve {day} of view "{view}"', hint="See `headwater batch status`."
            )
        serve(settings, registry, view)
    return f"{day} of view {view} comes from the speed layer again"
