"""What can be seen of an app: from the registry, the cluster and the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.observing import lag_of
from headwater.registry import apps
from headwater.supervision import deciding
from headwater.supervision.deciding import Observed, ObservedQuery

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headwater.engines import Engine
    from headwater.registry import Connection

    Ends = Mapping[str, Mapping[int, int]]


def observe(registry: Connection, engine: Engine, name: str, workers: int, ends: Ends) -> Observed | None:
    """Return what is wanted of an app and what is seen of it; None if there is no such app."""
    row = apps.app(registry, name)
    if row is None:
        return None
    driver = driver_of(row)
    running = driver is not None and engine.running(driver)
    beats = _beats(registry, name) if row["taken_since"] else []
    silence = _silence(row, beats)
    return Observed(
        app=name,
        wanted=row["desired"] == "running",
        broken=row["broken_at"] is not None,
        wanted_for=row["wanted_for"],
        driver=driver,
        submission=row["submission"],
        running=running or _is_on_its_way(registry, engine, row),
        outdated=bool(row["taken_since"] and row["outdated"]),
        blocked_by=_blocked_by(registry, engine, row),
        restarts=_restarts(registry, name),
        vain_starts=_vain_starts(registry, name),
        started_for=row["started_for"],
        queued=running and silence is None and engine.queued(driver),
        silence=silence,
        queries=tuple(_query(beat, ends) for beat in beats),
        paused=row["cores"] == 0,
        workers=workers,
    )


def driver_of(app: Mapping[str, Any]) -> Any:
    """Return the id of an app's driver.

    A driver that was relaunched elsewhere has another id than the submission; it tells its own in the lease.
    The lease counts once it has been taken after the submission began.
    """
    return app["driver"] if app["taken_since"] else app["submission"]


def _is_on_its_way(registry: Connection, engine: Engine, app: Mapping[str, Any]) -> bool:
    """Say whether a submission may have come through of which nobody has written down what became of it.

    Spark has no name for a driver but an id. So any new driver that nobody knows may be the one, until it
    takes the lease, and says so, or has had as much time as any other to do so.
    """
    if app["submitting"] is None or app["taken_since"] or app["started_for"] > deciding.STARTING:
        return False
    return bool(engine.drivers() - set(app["submitting"]) - apps.known_drivers(registry))


def _beats(registry: Connection, name: str) -> list[dict[str, Any]]:
    """Return the heartbeats of the driver that holds the lease; those of its predecessors say nothing."""
    return registry.execute(
        """
        SELECT query, offsets, lag_seen, now() - beat_at AS silence,
               CASE WHEN phase <> 'waiting' THEN
                   now() - greatest(looked_at, batch_at, phase_at, leases.taken_at, apps.cores_at)
               END AS age,
               phase <> 'live' OR coalesce(greatest(looked_at, batch_at), '-infinity') < leases.taken_at
                   AS catching_up
        FROM heartbeats JOIN leases USING (app, token) JOIN apps ON apps.name = heartbeats.app
        WHERE app = %s
        ORDER BY query
        """,
        [name],
    ).fetchall()


def _silence(app: Mapping[str, Any], beats: list[dict[str, Any]]) -> Any:
    """Return since when a driver gives no sign of life; one that has no queries can but renew its lease."""
    if not app["queries"] and app["taken_since"]:
        return app["lease_silence"]
    return min((beat["silence"] for beat in beats), default=None)


def _query(beat: Mapping[str, Any], ends: Ends) -> ObservedQuery:
    return ObservedQuery(
        name=beat["query"],
        lag=lag_of(beat["offsets"], ends),
        lag_seen=beat["lag_seen"],
        age=beat["age"],
        catching_up=beat["catching_up"],
    )


def _restarts(registry: Connection, name: str) -> int:
    """Count the restarts since the app is wanted like this; the first start was meant to.

    Spark starts a failed driver again by itself, which only the driver can tell, if it comes that far; those
    that do not are seen by how often they had to be submitted.
    """
    row = registry.execute(
        """
        SELECT greatest(
            (SELECT count(*) FROM starts WHERE app = name AND started_at > since),
            (SELECT count(*) FROM actions
             WHERE app = name AND action IN ('submit', 'restart') AND taken_at > since)
        ) - 1 AS restarts
        FROM (SELECT name, greatest(wanted_at, now() - %s::interval) AS since
              FROM apps WHERE name = %s) AS app
        """,
        [deciding.CRASH_LOOP_WITHIN, name],
    ).fetchone()
    return max(int(row["restarts"]), 0) if row else 0


def _vain_starts(registry: Connection, name: str) -> int:
    """Count our starts of an app since anything of it was last seen alive."""
    row = registry.execute(
        """
        SELECT count(*) AS starts FROM actions
        WHERE app = %(app)s AND action IN ('submit', 'restart') AND taken_at > (
            SELECT greatest(
                wanted_at,
                (SELECT max(beat_at) FROM heartbeats WHERE app = name),
                (SELECT renewed_at FROM leases WHERE app = name AND queries = '{}' AND renewed_at > taken_at)
            ) FROM apps WHERE name = %(app)s
        )
        """,
        {"app": name},
    ).fetchone()
    return int(row["starts"]) if row else 0


def _blocked_by(registry: Connection, engine: Engine, app: Mapping[str, Any]) -> str | None:
    """Return another app whose driver still runs one of these queries: two would disturb each other."""
    holders = registry.execute(
        """
        SELECT DISTINCT leases.app, leases.driver
        FROM writers JOIN leases USING (app, token)
        WHERE writers.query = ANY(%s) AND writers.app <> %s
        """,
        [app["queries"], app["name"]],
    ).fetchall()
    return next((holder["app"] for holder in holders if engine.running(holder["driver"])), None)
