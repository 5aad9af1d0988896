"""Which of its two forms a rebuild takes.

    in one batch   the stream reads everything, its backlog at once; right for every view
    at a seam      the batch engine writes the rows before the seam, the stream those from there on

A stream keeps in its state what it reads in one batch, so the first form has its bound; and what only the
cold log holds it would have to copy first. The batch engine has no state and reads both as one log.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from headwater.replay.starting import Stretch

    Name = Literal["in one batch", "at a seam"]

IN_ONE_BATCH: Name = "in one batch"
AT_A_SEAM: Name = "at a seam"
# Events that the first batch of a stream may have to keep at once: within the memory that an app has.
LONG = 5_000_000
OLDER_CODE = "its code is older than rebuilds at a seam"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a rebuild goes about it, and why like this."""

    name: Name
    because: str


def choose(declared: Mapping[str, Any], stretches: Iterable[Stretch]) -> Form:
    """Choose the form for a view, as its code declares it, and for what there is to read."""
    events = [stretch for stretch in stretches if stretch.topic in declared["inputs"]]
    reason = _reason(sum(one.events for one in events), sum(one.cold_events for one in events))
    uncut = declared.get("uncut", OLDER_CODE)
    if uncut:
        although = f", although {reason}" if reason else ""
        return Form(name=IN_ONE_BATCH, because=f"{uncut}{although}")
    if reason:
        return Form(name=AT_A_SEAM, because=reason)
    return Form(name=IN_ONE_BATCH, because=f"it is right for every view, up to {LONG:,} events")


def _reason(events: int, cold: int) -> str:
    """Say why the first form is not the best one; nothing if it is."""
    if events > LONG:
        return f"there are more than {LONG:,} events, which is what one batch of a stream should hold"
    return f"only the cold log holds {cold:,} of the events" if cold else ""
