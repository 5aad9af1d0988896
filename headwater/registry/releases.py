"""Releases: the artifacts and the versions of views that the registry knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.types.json import Jsonb

from headwater import names
from headwater.artifacts import Artifact
from headwater.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from headwater.registry import Connection

    Offsets = Mapping[str, Mapping[str, int]]  # topic -> partition -> offset

# What readers may see or may be about to see: someone has to keep it up to date.
KEPT = ("building", "candidate", "live", "warm")


def register(registry: Connection, artifact: Artifact, apps: Collection[str]) -> list[str]:
    """Make an artifact known, and the first version of each new view of these apps; return e.g. `orders v1`.

    A first version has nothing to be compared with, so it is live from the start. Every later one comes in
    through a replay. Changed logic under an old version number is refused: nobody could tell any more what a
    table's rows mean.
    """
    with registry.transaction():
        _remember(registry, artifact)
        check(registry, artifact)
        kept = [view for view, declared in artifact.manifest.items() if declared["app"] in apps]
        new = [view for view in kept if not versions(registry, view)]
        for view in new:
            add_version(registry, artifact, view, status="live", apart=False)
    return [f"{view} {names.label(artifact.manifest[view]['version'])}" for view in new]


def _remember(registry: Connection, artifact: Artifact) -> None:
    registry.execute(
        "INSERT INTO artifacts (hash, path, manifest) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
        [artifact.hash, artifact.path, Jsonb(artifact.manifest)],
    )


def artifact(registry: Connection, hash: str) -> Artifact:
    """Return an artifact that was deployed or replayed before."""
    row = registry.execute("SELECT * FROM artifacts WHERE hash = %s", [hash]).fetchone()
    if row is None:
        raise Refusal(
            f'there is no artifact "{hash}"',
            detail="The registry knows only code that was deployed, or replayed from the working tree.",
            hint="Name one that `headwater views versions` shows, or `current` for the code as it is now.",
        )
    return Artifact(hash=row["hash"], path=row["path"], manifest=row["manifest"])


def check(registry: Connection, artifact: Artifact) -> None:
    """Refuse an artifact in which the logic of a view differs from what its version number has meant."""
    for view in artifact.manifest:
        check_logic(registry, artifact, view)


def check_logic(registry: Connection, artifact: Artifact, view: str) -> None:
    """Refuse logic that differs from what this version number has meant before."""
    now = artifact.manifest[view]
    known = registry.execute(
        """
        SELECT fingerprint, manifest -> view -> 'logic' AS logic
        FROM versions JOIN artifacts ON artifacts.hash = versions.artifact
        WHERE view = %s AND version = %s ORDER BY build LIMIT 1
        """,
        [view, now["version"]],
    ).fetchone()
    if known and known["fingerprint"] != now["fingerprint"]:
        raise Refusal(
            f'view "{view}" has changed, but its version has not',
            detail=f"Version {now['version']} had other logic: {_changes(known['logic'], now['logic'])}.",
            hint=f"Set `version={now['version'] + 1}` in spark_apps/views/{view}.py, then replay.",
        )


def _changes(before: Mapping[str, str] | None, after: Mapping[str, str]) -> str:
    """Say which parts of a view's logic differ."""
    before = before or {}
    changed = sorted(part for part in before.keys() | after.keys() if before.get(part) != after.get(part))
    return f"{', '.join(changed)} changed"


def add_version(
    registry: Connection,
    artifact: Artifact,
    view: str,
    *,
    status: str = "building",
    apart: bool = True,
    starting_offsets: Offsets | None = None,
    stitches: Offsets | None = None,
    seam_at: datetime | None = None,
    form: str = "in one batch",
) -> dict[str, Any]:
    """Enter the next build of a view's version, and return it."""
    _remember(registry, artifact)
    version, fingerprint = artifact.manifest[view]["version"], artifact.manifest[view]["fingerprint"]
    builds = [row["build"] for row in versions(registry, view) if row["version"] == version]
    build = max(builds, default=0) + 1
    label = names.label(version, build)
    row = registry.execute(
        """
        INSERT INTO versions (view, version, build, table_name, checkpoint, artifact, fingerprint, status,
                              apart, starting_offsets, stitches, seam_at, form)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        RETURNING *
        """,
        [view, version, build, names.table(view, label), names.checkpoint(view, label), artifact.hash,
         fingerprint, status, apart, Jsonb(starting_offsets) if starting_offsets else None,
         Jsonb(stitches or {}), seam_at, form],
    ).fetchone()  # fmt: skip
    if row is None:
        raise LookupError(f'version {label} of view "{view}" could not be entered')
    return row


def set_status(registry: Connection, query: str, status: str) -> None:
    """Say where a version is on its way from building to retired."""
    registry.execute(
        "UPDATE versions SET status = %(status)s, status_at = now() "
        "WHERE query = %(query)s AND status <> %(status)s",
        {"query": query, "status": status},
    )


def cut(registry: Connection, query: str, where: Any) -> Any:
    """Remember where a version that is rebuilt at a seam is cut in two, and return it: the first counts."""
    row = registry.execute(
        "UPDATE versions SET cut = coalesce(cut, %s) WHERE query = %s RETURNING cut", [Jsonb(where), query]
    ).fetchone()
    return row and row["cut"]


def versions(registry: Connection, view: str | None = None) -> list[dict[str, Any]]:
    """Return all versions, of one view or of all, in the order in which they were made."""
    return registry.execute(
        "SELECT * FROM versions WHERE %(view)s::text IS NULL OR view = %(view)s "
        "ORDER BY view, created_at, version, build",
        {"view": view},
    ).fetchall()


def version(registry: Connection, query: str) -> dict[str, Any]:
    """Return one version by the name of its query, e.g. `orders.v2`."""
    row = registry.execute("SELECT * FROM versions WHERE query = %s", [query]).fetchone()
    if row is None:
        raise Refusal(f'there is no version "{query}"', hint="See `headwater views versions`.")
    return row


def live_versions(registry: Connection) -> list[dict[str, Any]]:
    """Return the versions that readers see, by view."""
    return registry.execute("SELECT * FROM versions WHERE status = 'live' ORDER BY view").fetchall()


def live_version(registry: Connection, view: str) -> dict[str, Any]:
    """Return the version that readers of a view see."""
    row = registry.execute("SELECT * FROM versions WHERE view = %s AND status = 'live'", [view]).fetchone()
    if row is None:
        known = sorted({version["view"] for version in versions(registry)})
        raise Refusal(f'there is no live view "{view}"', detail=f"Views: {', '.join(known) or 'none yet'}.")
    return row
