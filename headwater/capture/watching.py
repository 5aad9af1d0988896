"""A look at the capture: whether it runs, and whether the database still keeps what it has not read.

A task that failed is started again. What a restart cannot mend is an alarm and waits for a person: a slot
that is lost, or was made anew, has let changes go that nobody has read, and only a person can say whether the
tables are to be read once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater import alarms
from headwater.capture.slot import Slot, slot
from headwater.capture.worker import ConnectSilent, State, Worker, worker_of
from headwater.errors import Refusal
from headwater.shop import database as shop_database

if TYPE_CHECKING:
    from headwater.settings import Settings

RUNBOOK = "docs/runbooks/capture.md"
MUCH = 1024**3  # bytes of write-ahead log kept for us: half of what the server keeps at most
# What Debezium says when the slot is ahead of what was read, or not there at all.
LOST = "this is no longer available on the server"
KINDS = {"capture down", "capture failed", "changes lost", "log kept"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Something that is wrong with the capture, and whether starting it again may help."""

    kind: str
    message: str
    restart: bool = False

    def __str__(self) -> str:
        restarted = " It is started again." if self.restart else ""
        return f"capture: {self.kind} (see {RUNBOOK}). {self.message}{restarted}"


def look_after(settings: Settings, database: str = shop_database.DATABASE) -> list[Trouble]:
    """Look once; start again what may be mended by it, raise an alarm of the rest, clear what is over."""
    worker = worker_of(settings)
    found = _look(settings, worker, database)
    if any(trouble.restart for trouble in found):
        found += _restarted(worker, database)
    for trouble in found:
        alarms.raise_alarm(settings, database, trouble.kind, trouble.message, RUNBOOK)
    alarms.clear_all_but(settings, database, KINDS, {trouble.kind for trouble in found})
    return found


def _restarted(worker: Worker, database: str) -> list[Trouble]:
    """Start again what has failed; that it cannot be started is a trouble of its own."""
    try:
        worker.restart(database)
    except Refusal as refusal:
        return [Trouble(kind="capture down", message=str(refusal))]
    return []


def _look(settings: Settings, worker: Worker, database: str) -> list[Trouble]:
    with shop_database.connect(settings, database) as shop:
        kept = slot(shop, database)
    try:
        state = worker.state(database)
    except ConnectSilent as silence:
        return [Trouble(kind="capture down", message=str(silence))]
    return troubles(state, kept)


def troubles(state: State | None, kept: Slot | None) -> list[Trouble]:
    """Say what is wrong, given how the connector is and what the database keeps for it."""
    if state is None:
        return [Trouble(kind="capture down", message="There is no connector: run `make up`.")]
    if kept is None or kept.lost:
        return [Trouble(kind="changes lost", message="The database no longer keeps what was not read yet.")]
    if LOST in state.trace:
        return [Trouble(kind="changes lost", message=_reason(state.trace))]
    found = []
    if state.trace:
        found.append(Trouble(kind="capture failed", message=_reason(state.trace), restart=True))
    elif not state.running:
        found.append(Trouble(kind="capture down", message=f"The connector is {state.connector.lower()}."))
    if kept.kept > MUCH:
        found.append(
            Trouble(kind="log kept", message=f"The database keeps {kept.kept / 1024**2:,.0f} MB of its log.")
        )
    return found


def _reason(trace: str) -> str:
    """Return the innermost reason of a stack trace."""
    causes = [line for line in trace.splitlines() if line.startswith("Caused by: ")]
    return (causes or trace.splitlines())[-1].removeprefix("Caused by: ")[:500]
