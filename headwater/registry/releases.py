"""Releases: the artifacts, versions and apps that the registry knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.types.json import Jsonb

from headwater.errors import Refusal

if TYPE_CHECKING:
    from headwater.artifacts import Artifact
    from headwater.registry import Connection


def register(registry: Connection, artifact: Artifact) -> list[str]:
    """Make an artifact and its versions known; return the versions that are new, e.g. `orders v2`.

    Changed logic under an old version number is refused: nobody could tell any more what a table's rows mean.
    """
    with registry.transaction():
        registry.execute(
            "INSERT INTO artifacts (hash, path, manifest) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
            [artifact.hash, artifact.path, Jsonb(artifact.manifest)],
        )
        new = [name for name, view in artifact.manifest.items() if _register(registry, artifact, name, view)]
    return [f"{name} v{artifact.manifest[name]['version']}" for name in new]


def _register(registry: Connection, artifact: Artifact, name: str, view: dict[str, Any]) -> bool:
    known = registry.execute(
        "SELECT fingerprint FROM versions WHERE view = %s AND version = %s", [name, view["version"]]
    ).fetchone()
    if known:
        _check_fingerprint(name, view, known["fingerprint"])
        return False
    live = registry.execute(
        "SELECT version FROM versions WHERE view = %s AND status = 'live'", [name]
    ).fetchone()
    registry.execute(
        """
        INSERT INTO versions (view, version, table_name, checkpoint, artifact, fingerprint, status)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        """,
        # The first version has nothing to be compared with, so it is live from the start.
        [name, view["version"], view["table"], view["checkpoint"], artifact.hash, view["fingerprint"],
         "building" if live else "live"],
    )  # fmt: skip
    return True


def _check_fingerprint(name: str, view: dict[str, Any], known: str) -> None:
    now = view["fingerprint"]
    if now != known:
        raise Refusal(
            f'view "{name}" has changed, but its version has not',
            detail=f"Version {view['version']} was deployed with other logic ({known}, now {now}).",
            hint=f"Set `version={view['version'] + 1}` in spark_apps/views/{name}.py, then replay.",
        )


def want(registry: Connection, app: str, artifact: str, desired: str) -> None:
    """Say what should be: that an app runs, or that it does not."""
    registry.execute(
        """
        INSERT INTO apps (name, artifact, desired) VALUES (%s, %s, %s)
        ON CONFLICT (name) DO UPDATE
        SET artifact = excluded.artifact, desired = excluded.desired
        """,
        [app, artifact, desired],
    )


def submitted(registry: Connection, app: str, submission: str) -> None:
    """Remember what the cluster calls the newest submission of an app."""
    registry.execute(
        "UPDATE apps SET submission = %s, submitted_at = now() WHERE name = %s", [submission, app]
    )


def stop_wanted(registry: Connection, app: str) -> bool:
    """Say whether a driver of this app has to end."""
    row = registry.execute("SELECT desired FROM apps WHERE name = %s", [app]).fetchone()
    return row is None or row["desired"] == "stopped"


def app(registry: Connection, name: str) -> dict[str, Any] | None:
    """Return what is known of an app: its artifact, what is wanted, and who runs it."""
    return registry.execute(
        """
        SELECT apps.*, leases.driver, leases.token, leases.taken_at > apps.submitted_at AS taken_since
        FROM apps LEFT JOIN leases ON leases.app = apps.name
        WHERE apps.name = %s
        """,
        [name],
    ).fetchone()


def app_names(registry: Connection) -> list[str]:
    """Return the names of all apps that were ever deployed."""
    return [row["name"] for row in registry.execute("SELECT name FROM apps ORDER BY name")]


def versions(registry: Connection, view: str | None = None) -> list[dict[str, Any]]:
    """Return all versions, of one view or of all."""
    return registry.execute(
        "SELECT * FROM versions WHERE %(view)s::text IS NULL OR view = %(view)s ORDER BY view, version",
        {"view": view},
    ).fetchall()


def live_version(registry: Connection, view: str) -> dict[str, Any]:
    """Return the version that readers of a view see."""
    row = registry.execute("SELECT * FROM versions WHERE view = %s AND status = 'live'", [view]).fetchone()
    if row is None:
        names = sorted({version["view"] for version in versions(registry)})
        raise Refusal(f'there is no live view "{view}"', detail=f"Views: {', '.join(names) or 'none yet'}.")
    return row
