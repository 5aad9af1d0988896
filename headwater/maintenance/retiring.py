"""Letting go for good: versions that were retired long ago, scratch, and code that nothing runs any more.

An artifact is needed as long as the registry names it: a version was made with it, even one that is gone, and
may be made so again; or an app runs it. What is left is code that was deployed and replaced without making a
version, or only planned with, and that of bounded jobs that were replaced.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from headwater import scratch
from headwater.maintenance.telling import Outcome
from headwater.registry import connect
from headwater.replay import moving
from headwater.shelves import shelf_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.registry import Connection
    from headwater.settings import Settings
    from headwater.shelves import Kept, Shelf

NEEDED = """
    SELECT artifact FROM versions UNION SELECT artifact FROM apps
    UNION SELECT artifact FROM leases WHERE artifact IS NOT NULL
"""


def retire(settings: Settings, *, dry_run: bool) -> list[Outcome]:
    """Remove what the grace period is over of; in a dry run, say what that is."""
    with connect(settings) as registry:
        return [
            *_versions(settings, registry, dry_run=dry_run),
            *_scratch(settings, dry_run=dry_run),
            *_artifacts(settings, registry, dry_run=dry_run),
        ]


def _versions(settings: Settings, registry: Connection, *, dry_run: bool) -> Iterator[Outcome]:
    for version in moving.retired_long_ago(registry):
        if not dry_run:
            moving.drop(settings, registry, version)
        yield Outcome(
            subject=version["query"],
            step="drop",
            why=f"retired {version['status_at']:%Y-%m-%d}",
            done="" if dry_run else "its tables and checkpoints are removed",
        )


def _scratch(settings: Settings, *, dry_run: bool) -> Iterator[Outcome]:
    """Remove what a verification has left that did not come to its end; one that goes on is left alone."""
    for view in scratch.left_over(settings):
        done = "" if dry_run else scratch.clear(settings, view)
        why = "left by a verification that did not come to its end"
        yield Outcome(subject=f"{scratch.NAMESPACE}.{view}", step="clear", why=why, done=done)


def _artifacts(settings: Settings, registry: Connection, *, dry_run: bool) -> Iterator[Outcome]:
    before = datetime.now(UTC) - moving.GRACE
    needed = {row["artifact"] for row in registry.execute(NEEDED.encode())}
    shelf = shelf_of(settings)
    for kept in shelf.put_before(before):
        if kept.hash not in needed:
            yield _discard(registry, shelf, kept, dry_run=dry_run)


def _discard(registry: Connection, shelf: Shelf, kept: Kept, *, dry_run: bool) -> Outcome:
    if not dry_run:
        # The registry's word first: it keeps an artifact that somebody has come to need meanwhile.
        registry.execute("DELETE FROM artifacts WHERE hash = %s", [kept.hash])
        shelf.remove(kept)
    return Outcome(
        subject=kept.name,
        step="discard",
        why="no version and no app needs this code",
        done="" if dry_run else "removed",
        freed=0 if dry_run else kept.size,
    )
