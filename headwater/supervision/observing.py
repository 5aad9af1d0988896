"""What can be seen of an app: from the registry, the cluster and the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.observing import lag_of
from headwater.registry import apps
from headwater.supervision.deciding import CRASH_LOOP_WITHIN, Observed

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
    beats = _beats(registry, name) if row["taken_since"] else []
    return Observed(
        app=name,
        wanted=row["desired"] == "running",
        broken=row["broken_at"] is not None,
        wanted_for=row["wanted_for"],
        driver=driver,
        submission=row["submission"],
        running=driver is not None and engine.running(driver),
        outdated=bool(row["taken_since"] and row["outdated"]),
        blocked_by=_blocked_by(registry, engine, row),
        restarts=_restarts(registry, name),
        started_for=row["started_for"],
        silence=min((beat["silence"] for beat in beats), default=None),
        batch_age=max((beat["batch_age"] for beat in beats), default=None),
        catching_up=any(beat["phase"] == "catching up" or beat["cold"] for beat in beats),
        paused=row["cores"] == 0,
        lag=_lag(beats, ends),
        lag_seen=row["lag_seen"],
        workers=workers,
    )


def driver_of(app: Mapping[str, Any]) -> Any:
    """Return the id of an app's driver.

    A driver that was relaunched elsewhere has another id than the submission; it tells its own in the lease.
    The lease counts once it has been taken after the submission.
    """
    return app["driver"] if app["taken_since"] else app["submission"]


def _beats(registry: Connection, name: str) -> list[dict[str, Any]]:
    """Return the heartbeats of the driver that holds the lease; those of its predecessors say nothing."""
    return registry.execute(
        """
        SELECT phase, offsets, now() - beat_at AS silence,
               now() - greatest(batch_at, leases.taken_at, apps.cores_at) AS batch_age,
               coalesce(batch_at < leases.taken_at, true) AS cold
        FROM heartbeats JOIN leases USING (app, token) JOIN apps ON apps.name = heartbeats.app
        WHERE app = %s
        """,
        [name],
    ).fetchall()


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
        [CRASH_LOOP_WITHIN, name],
    ).fetchone()
    return max(int(row["restarts"]), 0) if row else 0


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


def _lag(beats: list[dict[str, Any]], ends: Ends) -> int | None:
    lags = [lag_of(beat["offsets"], ends) for beat in beats]
    return max((lag for lag in lags if lag is not None), default=None)
