"""Apps: deploying, restarting and stopping the streaming drivers, so that asking twice never starts two.

Nothing here starts a driver: it says in the registry what should run, and lets supervision bring it about.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from headwater import artifacts, names, supervision
from headwater.engines import engine_of
from headwater.errors import Refusal
from headwater.registry import apps as rows
from headwater.registry import connect, heartbeats, releases
from headwater.registry.wanted import changing
from headwater.settings import REPOSITORY
from headwater.supervision.acting import alone
from headwater.supervision.observing import driver_of, observe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headwater.artifacts import Artifact
    from headwater.registry import Connection
    from headwater.settings import Settings

Report = Callable[[str], None]
START_SECONDS = 180


def check(settings: Settings, names: Sequence[str] = (), source: Path = REPOSITORY) -> None:
    """Refuse code that could not be deployed, before anything is changed for it."""
    artifact = artifacts.pack(settings, source)
    _known(artifact, names)
    with connect(settings) as registry:
        releases.check(registry, artifact)


def deploy(settings: Settings, names: Sequence[str] = (), report: Report = print) -> list[str]:
    """Pack the code, register what is new in it, and make the named groups (by default all) run it.

    Returns the apps that were started; those that already run this code are left alone. A view whose version
    was raised stays at its old version until it is replayed.
    """
    artifact = artifacts.pack(settings)
    with connect(settings) as registry:
        groups = _known(artifact, names)
        with changing(registry):
            new = releases.register(registry, artifact, groups)
            for group in groups:
                row = rows.app(registry, group)
                rows.assign(registry, group, artifact.hash, row["queries"] if row else ())
        for version in new:
            report(f"new version: {version}")
        _tell_what_waits(registry, artifact, report)
        wanted = [*groups, *rows.apart_from(registry, groups)]
        for app in wanted:
            rows.want(registry, app, "running")
    return _bring_about(settings, wanted, report)


def restart(settings: Settings, names: Sequence[str] = (), report: Report = print) -> list[str]:
    """End the drivers of apps (by default of all that should run) and start them again, on the same code."""
    chosen = _chosen(settings, names)
    stop(settings, chosen, report)
    with connect(settings) as registry:
        for name in chosen:
            rows.want(registry, name, "running")
    return _bring_about(settings, chosen, report)


def stop(settings: Settings, names: Sequence[str] = (), report: Report = print) -> None:
    """Stop apps (by default all) between two batches; they stay stopped until deployed again."""
    chosen = _chosen(settings, names)
    with connect(settings) as registry:
        for name in chosen:
            with alone(registry, name):
                rows.want(registry, name, "stopped")
    supervision.bring_about(settings, chosen, report)
    for name in chosen:
        report(f'app "{name}" is stopped')


def wait_until_alive(settings: Settings, name: str) -> None:
    """Wait until a driver of the app has started its queries, or refuse and say where its log is."""
    engine = engine_of(settings)
    deadline = time.monotonic() + START_SECONDS
    with connect(settings) as registry:
        while not heartbeats.alive(registry, name):
            seen = observe(registry, engine, name, 1, {})
            if seen is None or time.monotonic() > deadline or not seen.running:
                raise Refusal(
                    f'app "{name}" did not start',
                    detail="Its driver has given no sign of life.",
                    hint=f"See `make logs PART={name}`.",
                )
            time.sleep(0.5)


def log_paths(settings: Settings, name: str) -> list[Path]:
    """Return what an app's driver has written, on the worker that runs it; nothing for what is no app."""
    with connect(settings) as registry:
        app = rows.app(registry, name)
    return sorted(Path(settings.home, "spark/work").glob(f"*/{driver_of(app)}/std*")) if app else []


def _bring_about(settings: Settings, names: Sequence[str], report: Report) -> list[str]:
    done = supervision.bring_about(settings, names, report)
    started = {step.app for step in done if step.action in ("submit", "restart")}
    for name in names:
        if name not in started:
            report(f'app "{name}" already runs what it should')
    return [name for name in names if name in started]


def _known(artifact: Artifact, names: Sequence[str]) -> list[str]:
    there_are = sorted({view["app"] for view in artifact.manifest.values()})
    for name in names:
        if name not in there_are:
            raise Refusal(f'there is no app "{name}"', detail=f"Apps: {', '.join(there_are)}.")
    return list(names) or there_are


def _chosen(settings: Settings, names: Sequence[str]) -> list[str]:
    with connect(settings) as registry:
        there_are = {app["name"]: app["desired"] for app in rows.all_apps(registry)}
    for name in names:
        if name not in there_are:
            raise Refusal(
                f'app "{name}" was never deployed', hint="See `headwater status` for the apps there are."
            )
    return list(names) or [name for name, desired in there_are.items() if desired == "running"]


def _tell_what_waits(registry: Connection, artifact: Artifact, report: Report) -> None:
    """Say which views this code would change, but does not, because only a replay does."""
    for live in releases.live_versions(registry):
        view, declared = live["view"], artifact.manifest.get(live["view"], live)
        if declared["version"] != live["version"]:
            report(
                f"{view} {names.label(declared['version'])} is in this code; {live['label']} stays live "
                f"until you replay: `headwater replay start {view}`"
            )
