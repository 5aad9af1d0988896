"""What runs: each program of an instance, its state, process, port and how long it has been up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.local import daemon
from headwater.local.record import Part, started_parts

if TYPE_CHECKING:
    from headwater.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class PartStatus:
    """One supervised program, and the part it belongs to; the two may bear the same name."""

    part: str
    name: str
    state: str
    pid: int | None
    port: int | None
    uptime: timedelta | None


def observe(settings: Settings) -> list[PartStatus]:
    """Return every program that should run, and how it is."""
    home = Path(settings.home)
    states = {state["name"]: state for state in daemon.program_states(home)}
    return [
        _status(part, name, states.get(name, {}))
        for part in started_parts(home)
        for name in sorted(part.programs)
    ]


def _status(part: Part, name: str, state: dict[str, Any]) -> PartStatus:
    running = state.get("statename") == "RUNNING"
    return PartStatus(
        part=part.name,
        name=name,
        state=str(state.get("statename", "STOPPED")).lower(),
        pid=state["pid"] if state.get("pid") else None,
        port=part.programs[name].port,
        uptime=timedelta(seconds=state["now"] - state["start"]) if running else None,
    )
