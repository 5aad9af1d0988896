"""Scratch: tables and a checkpoint that a verification needs for a while, and nobody takes for a version.

They live in a namespace and a folder of their own, which the registry does not know. Whoever works there has
the lock of the view; so what is found without a lock was left by somebody who died, and is removed by the
next who comes: another verification of the view, or maintenance.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater import checkpoints, lake
from headwater.registry import locks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.settings import Settings

NAMESPACE = "scratch"
LOCK = "verification of {}"


@contextmanager
def of(settings: Settings, view: str) -> Iterator[None]:
    """Have the scratch of a view to oneself, empty; leave nothing there, whatever happens."""
    with locks.alone(settings, LOCK.format(view)):
        _clear(settings, view)
        try:
            yield
        finally:
            _clear(settings, view)


def clear(settings: Settings, view: str) -> str:
    """Remove what somebody has left, unless a new verification has begun meanwhile; say what was done."""
    with locks.unless_under_way(settings, LOCK.format(view)) as free:
        if free:
            _clear(settings, view)
    return "its tables and checkpoint are removed" if free else "a verification removes it now"


def left_over(settings: Settings) -> list[str]:
    """Return the views whose scratch somebody has left."""
    tables = {table.partition("__")[0] for table in lake.tables_in(settings, NAMESPACE)}
    views = tables | set(checkpoints.folders_in(settings, NAMESPACE))
    return [view for view in sorted(views) if _is_free(settings, view)]


def _is_free(settings: Settings, view: str) -> bool:
    with locks.unless_under_way(settings, LOCK.format(view)) as free:
        return free


def checkpoint(view: str) -> str:
    """Return the folder of a view's scratch, below the environment's checkpoints."""
    return f"{NAMESPACE}/{view}"


def _clear(settings: Settings, view: str) -> None:
    checkpoints.remove_folder(settings, checkpoint(view))
    lake.drop_tables(settings, NAMESPACE, f"{view}__")
