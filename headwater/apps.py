"""Apps: deploying and stopping the streaming drivers, so that asking twice never starts two."""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater import artifacts
from headwater.engines import Job, Standalone
from headwater.errors import Refusal
from headwater.registry import connect, heartbeats, releases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from headwater.artifacts import Artifact
    from headwater.engines import Engine
    from headwater.registry import Connection
    from headwater.settings import Settings

    Report = Callable[[str], None]

STOP_SECONDS = 90
START_SECONDS = 180


def deploy(settings: Settings, names: Sequence[str] = (), report: Report = print) -> list[str]:
    """Pack the code, register what is new in it, and make the named apps (by default all) run it.

    Returns the apps that were started; those that already run this code are left alone.
    """
    artifact = artifacts.pack(settings)
    engine = Standalone(settings)
    with connect(settings) as registry:
        for version in releases.register(registry, artifact):
            report(f"new version: {version}")
        return [name for name in _known(artifact, names) if _deploy(registry, engine, name, artifact, report)]


def wait_until_alive(settings: Settings, name: str) -> None:
    """Wait until a driver of the app has started its queries, or refuse and say where its log is."""
    engine = Standalone(settings)
    deadline = time.monotonic() + START_SECONDS
    with connect(settings) as registry:
        while not heartbeats.alive(registry, name):
            app = releases.app(registry, name)
            if app is None or time.monotonic() > deadline or not running(engine, app):
                raise Refusal(
                    f'app "{name}" did not start',
                    detail="Its driver has given no sign of life.",
                    hint=f"See `make logs PART={name}`.",
                )
            time.sleep(0.5)


def log_paths(settings: Settings, name: str) -> list[Path]:
    """Return what an app's driver has written, on the worker that runs it; nothing for what is no app."""
    with connect(settings) as registry:
        app = releases.app(registry, name)
    return sorted(Path(settings.home, "spark/work").glob(f"*/{_driver(app)}/std*")) if app else []


def stop(settings: Settings, names: Sequence[str] = (), report: Report = print) -> None:
    """Stop the named apps (by default all) between two batches; they stay stopped until deployed again."""
    engine = Standalone(settings)
    with connect(settings) as registry:
        for name in names or releases.app_names(registry):
            with _alone(registry, name):
                _stop(registry, engine, name)
            report(f'app "{name}" is stopped')


def _known(artifact: Artifact, names: Sequence[str]) -> list[str]:
    there_are = sorted({view["app"] for view in artifact.manifest.values()})
    for name in names:
        if name not in there_are:
            raise Refusal(f'there is no app "{name}"', detail=f"Apps: {', '.join(there_are)}.")
    return list(names) or there_are


def _deploy(registry: Connection, engine: Engine, name: str, artifact: Artifact, report: Report) -> bool:
    with _alone(registry, name):
        app = releases.app(registry, name)
        if app and running(engine, app):
            if app["artifact"] == artifact.hash and app["desired"] == "running":
                report(f'app "{name}" already runs artifact {artifact.hash}')
                return False
            _stop(registry, engine, name)
        releases.want(registry, name, artifact.hash, "running")
        job = Job(name=name, artifact=artifact.path, arguments=("stream", name))
        releases.submitted(registry, name, engine.submit(job))
    report(f'app "{name}" is submitted with artifact {artifact.hash}')
    return True


def _stop(registry: Connection, engine: Engine, name: str) -> None:
    app = releases.app(registry, name)
    if app is None:
        raise Refusal(
            f'app "{name}" was never deployed', hint="See `headwater status` for the apps there are."
        )
    releases.want(registry, name, app["artifact"], "stopped")
    deadline = time.monotonic() + STOP_SECONDS
    while running(engine, app):
        if time.monotonic() > deadline:
            # Whatever it was doing is redone by its successor: nothing is lost, only time.
            engine.kill(_driver(app))
            deadline += STOP_SECONDS
        time.sleep(0.5)


def running(engine: Engine, app: dict[str, Any]) -> bool:
    """Say whether an app has a driver, whatever the cluster calls it by now."""
    driver = _driver(app)
    return driver is not None and engine.running(driver)


def _driver(app: dict[str, Any]) -> Any:
    """Return the id of an app's driver.

    A driver that was relaunched elsewhere has another id than the submission; it tells its own in the lease.
    The lease counts once it has been taken after the submission.
    """
    return app["driver"] if app["taken_since"] else app["submission"]


@contextmanager
def _alone(registry: Connection, app: str) -> Iterator[None]:
    """Let one person or task at a time change an app."""
    registry.execute("SELECT pg_advisory_lock(hashtext(%s))", [f"app:{app}"])
    try:
        yield
    finally:
        registry.execute("SELECT pg_advisory_unlock(hashtext(%s))", [f"app:{app}"])
