"""Making the connector as it is declared, and waiting until it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.connector import connector
from headwater.capture.worker import Worker, worker_of
from headwater.errors import Refusal
from headwater.shop import database as shop_database
from headwater.topics import load_topics
from headwater.waiting import wait_until_nothing_is_missing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from headwater.settings import Settings
    from headwater.topics import Topic

PATIENCE_SECONDS = 120


def follow(
    settings: Settings, topics: Iterable[Topic] | None = None, database: str = shop_database.DATABASE
) -> bool:
    """Let the changes of a database come into the log; return whether that had to be arranged."""
    worker = worker_of(settings)
    declared = connector(settings, load_topics().values() if topics is None else topics, database)
    found = worker.config(database)
    changed = found != declared | {"name": database}
    if changed:
        worker.configure(database, declared)
    _wait_until_it_runs(worker, database)
    return changed


def unfollow(settings: Settings, database: str) -> None:
    """Let a database go: remove its connector. The slot stays until whoever owns the database drops it."""
    worker_of(settings).remove(database)


def _wait_until_it_runs(worker: Worker, name: str) -> None:
    def missing() -> str:
        state = worker.state(name)
        if state is not None and state.trace:
            raise Refusal(
                f'the connector "{name}" failed',
                detail=state.trace.splitlines()[0],
                hint="See docs/runbooks/capture.md.",
            )
        return "" if state is not None and state.running else f"It is {state}."

    if detail := wait_until_nothing_is_missing(missing, PATIENCE_SECONDS):
        raise Refusal(
            f'the connector "{name}" does not run', detail=detail, hint="See `make logs PART=connect`."
        )
