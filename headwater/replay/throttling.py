"""How much of the cluster a rebuild may take, while it runs: live views come first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.registry import apps, connect, replays

if TYPE_CHECKING:
    from headwater.settings import Settings


def throttle(settings: Settings, view: str, cores: int | None) -> str:
    """Let the candidate of a view use so many cores from now on: none pauses it, None is all it was given."""
    with connect(settings) as registry:
        replay = replays.open_replay(registry, view)
        if replay is None:
            raise Refusal(f'no replay of view "{view}" is under way', hint="See `headwater replay status`.")
        apps.throttle(registry, replay["query"], cores)
    return f"{replay['query']} {_words(cores)}"


def _words(cores: int | None) -> str:
    if cores is None:
        return "may use all cores that it was given"
    return f"may use {cores} core{'s' if cores > 1 else ''}" if cores else "is paused"
