"""Apps as the registry knows them: what each should run, and who runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from headwater.registry import Connection

SELECT = """
    SELECT apps.*, leases.driver, leases.token, leases.taken_at > apps.submitted_at AS taken_since,
           (leases.artifact, leases.queries, coalesce(leases.speaks, apps.speaks))
               IS DISTINCT FROM (apps.artifact, apps.queries, apps.speaks) AS outdated,
           now() - apps.wanted_at AS wanted_for,
           CASE WHEN leases.renewed_at > leases.taken_at THEN now() - leases.renewed_at END AS lease_silence,
           now() - greatest(apps.submitted_at, leases.taken_at) AS started_for
    FROM apps LEFT JOIN leases ON leases.app = apps.name
"""


def assign(
    registry: Connection, app: str, artifact: str, queries: Sequence[str], *, speaks: bool = True
) -> None:
    """Say what an app runs, and whether it speaks. One that is new, or was dismissed, is wanted at once."""
    registry.execute(
        """
        INSERT INTO apps (name, artifact, queries, speaks, desired) VALUES (%s, %s, %s, %s, 'running')
        ON CONFLICT (name) DO UPDATE
        SET artifact = excluded.artifact, queries = excluded.queries, speaks = excluded.speaks,
            wanted_at = now(), broken_at = NULL,
            desired = CASE WHEN apps.queries = '{}' THEN 'running' ELSE apps.desired END
        WHERE (apps.artifact, apps.queries, apps.speaks)
            IS DISTINCT FROM (excluded.artifact, excluded.queries, excluded.speaks)
        """,
        [app, artifact, list(queries), speaks],
    )


def want(registry: Connection, app: str, desired: str) -> None:
    """Say that an app should run or not; wanting it again is how a person resumes a broken one."""
    registry.execute(
        "UPDATE apps SET desired = %(desired)s, wanted_at = now(), broken_at = NULL "
        "WHERE name = %(app)s AND (desired <> %(desired)s OR broken_at IS NOT NULL)",
        {"app": app, "desired": desired},
    )


def dismiss(registry: Connection, app: str) -> None:
    """Say that an app has nothing to run any more."""
    registry.execute(
        "UPDATE apps SET desired = 'stopped', queries = '{}', wanted_at = now(), broken_at = NULL "
        "WHERE name = %s AND (desired <> 'stopped' OR queries <> '{}')",
        [app],
    )


def give_up(registry: Connection, app: str) -> None:
    """Say that an app is broken: nothing starts it again until a person wants it to."""
    registry.execute("UPDATE apps SET broken_at = now() WHERE name = %s", [app])


def submitting(registry: Connection, app: str, there: Iterable[str]) -> None:
    """Remember that an app is about to be submitted, and which drivers the cluster has before.

    Whoever submits may die before it has written down what the cluster called the new one.
    """
    registry.execute(
        "UPDATE apps SET submitting = %s, submitted_at = now() WHERE name = %s", [sorted(there), app]
    )


def submitted(registry: Connection, app: str, driver: str) -> None:
    """Know an app's driver by what the cluster calls it, or calls it by now."""
    registry.execute("UPDATE apps SET submission = %s, submitting = NULL WHERE name = %s", [driver, app])


def known_drivers(registry: Connection) -> set[str]:
    """Return the drivers that some app is known to have, or to have had."""
    rows = registry.execute(
        "SELECT driver FROM starts UNION SELECT driver FROM leases UNION SELECT submission FROM apps"
    )
    return {row["driver"] for row in rows}


def throttle(registry: Connection, app: str, cores: int | None) -> None:
    """Say how many cores an app may use from now on: none pauses it, None is all that it was given."""
    registry.execute("UPDATE apps SET cores = %s, cores_at = now() WHERE name = %s", [cores, app])


def cores(registry: Connection, app: str) -> int | None:
    """Return how many cores an app may use now; None: all that it was given."""
    row = registry.execute("SELECT cores FROM apps WHERE name = %s", [app]).fetchone()
    return row["cores"] if row else None


def must_end(
    registry: Connection, app: str, artifact: str, queries: Sequence[str], *, speaks: bool = True
) -> bool:
    """Say whether a driver that runs these queries of this artifact has to end: the stop marker."""
    row = registry.execute(
        "SELECT desired, broken_at, artifact, queries, speaks FROM apps WHERE name = %s", [app]
    ).fetchone()
    if row is None or row["desired"] == "stopped" or row["broken_at"]:
        return True
    return (row["artifact"], row["queries"], row["speaks"]) != (artifact, list(queries), speaks)


def app(registry: Connection, name: str) -> dict[str, Any] | None:
    """Return what is known of an app: its artifact, what is wanted, and who runs it."""
    return registry.execute(f"{SELECT} WHERE apps.name = %s", [name]).fetchone()


def all_apps(registry: Connection) -> list[dict[str, Any]]:
    """Return what is known of every app that was ever wanted."""
    return registry.execute(f"{SELECT} ORDER BY apps.name").fetchall()


def apart_from(registry: Connection, groups: Sequence[str]) -> list[str]:
    """Return the apps of their own that versions of these groups' views run in."""
    found = registry.execute(
        """
        SELECT apps.name
        FROM apps JOIN versions ON versions.query = apps.name
        JOIN artifacts ON artifacts.hash = versions.artifact
        WHERE versions.query = ANY(apps.queries)
          AND artifacts.manifest -> versions.view ->> 'app' = ANY(%s)
        ORDER BY apps.name
        """,
        [list(groups)],
    )
    return [row["name"] for row in found]
