"""Moving readers from one version of a view to another: promote, roll back, and let the old one go."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from headwater import checkpoints, glue, lake
from headwater.errors import Refusal
from headwater.registry import apps, connect, releases
from headwater.registry.wanted import changing
from headwater.serving import serve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headwater.registry import Connection
    from headwater.settings import Settings

GRACE = timedelta(days=7)  # how long the table of a retired version is kept, in case of regret


def move(settings: Settings, registry: Connection, query: str, kind: str, by: str) -> None:
    """Make a version the live one, and the live one warm: pointer and registry in one transaction."""
    with changing(registry):
        version = releases.version(registry, query)
        live = releases.live_version(registry, version["view"])
        if live["query"] == query:
            return
        releases.set_status(registry, live["query"], "warm")
        releases.set_status(registry, query, "live")
        registry.execute(
            "INSERT INTO moves (view, query, kind, moved_by) VALUES (%s, %s, %s, %s)",
            [version["view"], query, kind, by],
        )
        lake.move_pointer(settings, registry, version["view"], version["label"])
        serve(settings, registry, version["view"])


def rollback(settings: Settings, view: str, label: str | None = None, by: str = "someone") -> str:
    """Point readers at a warm version, by default the one that was live before; say which."""
    with connect(settings) as registry:
        live = releases.live_version(registry, view)
        target = _target(registry, view, label)
        move(settings, registry, target["query"], "roll back", by)
    glue.look_after(settings)
    return f"view {view} serves {target['label']} again; {live['label']} stays warm"


def release(settings: Settings, view: str | None = None, grace: timedelta = GRACE) -> list[str]:
    """Let warm versions go, of one view or of all, and fold live ones back into the apps of their groups.

    Their drivers follow at the next tick. Tables of versions that were retired longer ago than the grace
    period are removed, and with them their checkpoints.
    """
    with connect(settings) as registry, changing(registry):
        said = []
        for version in releases.versions(registry, view):
            if version["status"] == "warm":
                releases.set_status(registry, version["query"], "retired")
                said.append(f"{version['query']} is retired")
            elif version["status"] == "live" and _fold(registry, version):
                said.append(f"{version['query']} goes back into the app of its group")
    return said + _drop_retired(settings, view, grace)


def _target(registry: Connection, view: str, label: str | None) -> dict[str, Any]:
    others = [version for version in releases.versions(registry, view) if version["status"] != "live"]
    if label is not None:
        others = [version for version in others if version["label"] == label]
    warm = [version for version in others if version["status"] == "warm"]
    if warm:
        return max(warm, key=lambda version: version["status_at"])
    gone = [version for version in others if version["status"] == "retired"]
    if not gone:
        which = f"version {label}" if label else "earlier version"
        raise Refusal(f'view "{view}" has no {which} to roll back to', hint="See `headwater views versions`.")
    last = max(gone, key=lambda version: version["status_at"])
    raise Refusal(
        f'version {last["label"]} of view "{view}" was released',
        detail="Nothing keeps it up to date any more.",
        hint=f"Build it again: `headwater replay start {view} --artifact {last['artifact']}`.",
    )


def _fold(registry: Connection, version: dict[str, Any]) -> bool:
    """Give a live version back to the app of its group, and that app code that has it, if need be."""
    if not version["apart"]:
        return False
    registry.execute("UPDATE versions SET apart = false WHERE query = %s", [version["query"]])
    code = releases.artifact(registry, version["artifact"])
    group = apps.app(registry, code.manifest[version["view"]]["app"])
    if group is not None:
        has = releases.artifact(registry, group["artifact"]).manifest.get(version["view"], {})
        if has.get("version") != version["version"]:
            apps.assign(registry, group["name"], code.hash, group["queries"])
    return True


def retired_long_ago(
    registry: Connection, view: str | None = None, grace: timedelta = GRACE
) -> list[dict[str, Any]]:
    """Return the versions whose grace period is over, and whose tables are still there."""
    return registry.execute(
        """
        SELECT * FROM versions
        WHERE status = 'retired' AND dropped_at IS NULL AND status_at < now() - %(grace)s::interval
          AND (%(view)s::text IS NULL OR view = %(view)s)
        ORDER BY query
        """,
        {"grace": grace, "view": view},
    ).fetchall()


def drop(settings: Settings, registry: Connection, version: Mapping[str, Any]) -> None:
    """Remove the tables of a version, and its checkpoints."""
    lake.drop_version(settings, version["table_name"])
    checkpoints.remove(settings, version["checkpoint"], version["table_name"])
    registry.execute("DELETE FROM batch_days WHERE query = %s", [version["query"]])
    registry.execute("UPDATE versions SET dropped_at = now() WHERE query = %s", [version["query"]])


def _drop_retired(settings: Settings, view: str | None, grace: timedelta) -> list[str]:
    with connect(settings) as registry:
        retired = retired_long_ago(registry, view, grace)
        for version in retired:
            drop(settings, registry, version)
    return [f"the table of {version['query']} is removed" for version in retired]
