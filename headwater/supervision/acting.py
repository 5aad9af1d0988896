"""A tick of supervision: look at every app, decide, act, and write down what was done and why."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from headwater import alarms, names, observing
from headwater.engines import ClusterSilent, Submission, engine_of
from headwater.errors import Refusal
from headwater.registry import apps, connect, heartbeats, releases
from headwater.registry.wanted import settle
from headwater.supervision import deciding
from headwater.supervision.deciding import decide
from headwater.supervision.observing import observe

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from headwater.engines import Engine
    from headwater.registry import Connection
    from headwater.settings import Settings
    from headwater.supervision.deciding import Action, Observed

Report = Callable[[str], None]
PATIENCE_SECONDS = 240
HISTORY = timedelta(hours=1)
CRASH_LOOP, NO_MASTER = "crash loop", "no master"
KINDS = {CRASH_LOOP, "no workers", "no room", "lag"}  # alarms that end when a look does not raise them again
CLUSTER = "spark"  # the subject of alarms that concern every app


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """One thing that a tick did, and where to read on if it is a person's turn."""

    app: str
    action: str
    reason: str
    runbook: str = ""

    def __str__(self) -> str:
        read_on = f"; see {self.runbook}" if self.runbook else ""
        return f'app "{self.app}": {self.action}, because {self.reason}{read_on}'


def tick(settings: Settings, names: Collection[str] | None = None) -> list[Done]:
    """Bring the apps, all or the named ones, one step closer to what the registry wants."""
    done: list[Done] = []
    try:
        for step in _steps(settings, names):
            done.append(step)
    except ClusterSilent as silence:
        alarms.raise_alarm(settings, CLUSTER, NO_MASTER, str(silence))
        runbook = alarms.runbook_of(NO_MASTER)
        return [*done, Done(app=CLUSTER, action="alarm", reason=silence.primary, runbook=runbook)]
    alarms.clear(settings, CLUSTER, NO_MASTER)
    return done


def _steps(settings: Settings, names: Collection[str] | None) -> Iterator[Done]:
    engine = engine_of(settings)
    with connect(settings) as registry:
        settle(registry)
        workers, ends = engine.workers(), observing.ends_of_inputs(settings, registry)
        for app in apps.all_apps(registry):
            if app["name"] in names if names is not None else not _is_history(app):
                yield from _look_after(settings, registry, engine, app["name"], workers, ends)


def _is_history(app: Mapping[str, Any]) -> bool:
    """Say whether an app was dismissed so long ago that nothing can be left of it."""
    return app["desired"] == "stopped" and not app["queries"] and bool(app["wanted_for"] > HISTORY)


def bring_about(settings: Settings, names: Collection[str], report: Report = print) -> list[Done]:
    """Tick until the named apps are as they are wanted: a driver submitted for each that should run."""
    done: list[Done] = []
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        for step in tick(settings, names):
            done.append(step)
            report(str(step))
        if not (open_ones := _unfinished(settings, names)):
            return done
        if time.monotonic() > deadline:
            raise Refusal(
                f"apps did not come to what is wanted of them: {', '.join(open_ones)}",
                detail=f"Waited for {PATIENCE_SECONDS} s.",
                hint="Supervision goes on trying; see `headwater status` and `make logs PART=<app>`.",
            )
        time.sleep(0.5)


def _unfinished(settings: Settings, names: Collection[str]) -> list[str]:
    """Return the apps that are still on their way; refuse if one of them will never get there."""
    engine = engine_of(settings)
    with connect(settings) as registry:
        looks = [observe(registry, engine, name, 1, {}) for name in names]
    seen = [app for app in looks if app is not None]
    for app in seen:
        if app.wanted and app.broken:
            raise Refusal(
                f'app "{app.app}" was given up',
                detail=f"Supervision said why: {_why_given_up(settings, app.app)}.",
                hint=f"See {alarms.runbook_of(CRASH_LOOP)}; `headwater apps restart {app.app}` resumes it.",
            )
    return [app.app for app in seen if app.running != app.wanted or (app.running and app.outdated)]


def _why_given_up(settings: Settings, name: str) -> str:
    with connect(settings) as registry:
        given_up = registry.execute(
            "SELECT reason FROM actions WHERE app = %s AND action = 'give up' ORDER BY id DESC LIMIT 1",
            [name],
        ).fetchone()
    return str(given_up["reason"]) if given_up else "it failed again and again"


def _look_after(
    settings: Settings,
    registry: Connection,
    engine: Engine,
    name: str,
    workers: int,
    ends: Mapping[str, Mapping[int, int]],
) -> list[Done]:
    with alone(registry, name):
        seen = observe(registry, engine, name, workers, ends)
        if seen is None:
            return []
        actions = decide(seen)
        for action in actions:
            _act(settings, registry, engine, seen, action)
        _clear_alarms(settings, seen, actions)
        for query in seen.queries:
            heartbeats.see_lag(registry, query.name, query.lag)
    return [
        Done(app=name, action=_name(action), reason=action.reason, runbook=_runbook(action))
        for action in actions
    ]


def _act(settings: Settings, registry: Connection, engine: Engine, seen: Observed, action: Action) -> None:
    match action:
        case deciding.Submit():
            _submit(registry, engine, seen.app)
        case deciding.Restart():
            _kill(engine, seen)
            _submit(registry, engine, seen.app)
        case deciding.Kill():
            _kill(engine, seen)
        case deciding.GiveUp():
            apps.give_up(registry, seen.app)
            _kill(engine, seen)
            alarms.raise_alarm(settings, seen.app, CRASH_LOOP, action.reason)
        case deciding.Adopt():
            apps.submitted(registry, seen.app, str(seen.driver))
        case deciding.Alarm():
            alarms.raise_alarm(settings, seen.app, action.kind, action.reason)
    registry.execute(
        "INSERT INTO actions (app, action, reason) VALUES (%s, %s, %s)",
        [seen.app, _name(action), action.reason],
    )


def _submit(registry: Connection, engine: Engine, name: str) -> None:
    app = apps.app(registry, name)
    if app is None:
        raise LookupError(f'app "{name}" is gone')
    artifact = releases.artifact(registry, app["artifact"])
    apart = names.QUERY.fullmatch(name)  # an app of its own is called like its version
    submission = Submission(
        name=name,
        artifact=artifact.path,
        arguments=("stream", name, artifact.hash),
        apart=apart is not None,
        group=artifact.manifest[apart[1]]["app"] if apart and app["speaks"] else None,
        after=app["submission"],
    )
    apps.submitting(registry, name, engine.drivers())
    apps.submitted(registry, name, engine.submit(submission))


def _kill(engine: Engine, seen: Observed) -> None:
    """End a driver at once. Whatever it was doing is redone by its successor: only time is lost."""
    for driver in {seen.driver, seen.submission} - {None}:
        engine.kill(str(driver))


def _clear_alarms(settings: Settings, seen: Observed, actions: list[Action]) -> None:
    """Clear the open alarms about an app that this look did not raise again."""
    raised = {action.kind for action in actions if isinstance(action, deciding.Alarm)}
    if seen.broken or any(isinstance(action, deciding.GiveUp) for action in actions):
        raised.add(CRASH_LOOP)
    alarms.clear_all_but(settings, seen.app, KINDS, raised)


def _runbook(action: Action) -> str:
    """Return what a person should read about what was done, if it was to call one."""
    match action:
        case deciding.GiveUp():
            return alarms.runbook_of(CRASH_LOOP)
        case deciding.Alarm():
            return alarms.runbook_of(action.kind)
    return ""


def _name(action: Action) -> str:
    return {"GiveUp": "give up"}.get(type(action).__name__, type(action).__name__.lower())


@contextmanager
def alone(registry: Connection, app: str) -> Iterator[None]:
    """Let one person or task at a time act on an app."""
    registry.execute("SELECT pg_advisory_lock(hashtext(%s))", [f"app:{app}"])
    try:
        yield
    finally:
        registry.execute("SELECT pg_advisory_unlock(hashtext(%s))", [f"app:{app}"])
