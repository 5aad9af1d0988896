"""What to do about an app: a pure function of what should be and what is.

    decide(Observed(…)) -> [Submit(reason="its driver is gone")]

The order of the rules is their priority. No rule looks at the past but through what was observed, so any tick
may be lost, repeated, or taken by another process.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

CRASH_LOOP_RESTARTS = 3
CRASH_LOOP_WITHIN = timedelta(minutes=10)
# Starts in a row without a sign of life, however long they took: a driver that dies before it takes its lease
# is started again by the cluster for ever, and nobody hears of it.
VAIN_STARTS = 3
SILENT = timedelta(seconds=90)  # a driver beats every ten seconds, also when there is nothing to read
STARTING = timedelta(minutes=3)  # until its first sign of life
STUCK = timedelta(minutes=5)  # without an end to a look at the log, although there is input
STOPPING = timedelta(minutes=2)  # to end between two batches
CATCHING_UP = timedelta(minutes=15)  # for the first, cold batch of a backlog, and more the longer it is
SLOWEST_CATCH_UP = 2_000  # records a second; a backlog is read in one long batch
UNKNOWN_BACKLOG = timedelta(hours=6)  # for one that nobody knows the length of: a new version's first batch
LAG_BOUND = 100_000  # records: what one batch of a live app reads at most


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedQuery:
    """One query of an app's driver. What it has to read says nothing of the others, nor of how they are."""

    name: str
    lag: int | None = None  # records; None: unknown
    lag_seen: int | None = None  # at the tick before
    # Since it finished a batch, or looked at the log and had read all there was; None: it waits for its turn.
    age: timedelta | None = None
    catching_up: bool = False  # or in the first batch of a fresh driver


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """One app: what is wanted, and what can be seen of it."""

    app: str
    wanted: bool
    broken: bool = False  # given up by an earlier tick
    wanted_for: timedelta = timedelta(0)  # since it is wanted, or not wanted, like this
    driver: str | None = None  # the cluster's id of the driver that holds the lease, or was submitted last
    submission: str | None = None  # the id that we know it by
    running: bool = False  # the cluster says that this driver runs, or is about to
    outdated: bool = False  # the driver runs other code or queries than it should, or under another role
    blocked_by: str | None = None  # another app whose driver still writes one of its queries
    restarts: int = 0  # within CRASH_LOOP_WITHIN, since it is wanted
    vain_starts: int = 0  # by us, since it is wanted and since the last heartbeat of any driver of it
    started_for: timedelta | None = None  # since it was submitted, or relaunched by the cluster
    queued: bool = False  # the cluster has not found room for its driver yet
    silence: timedelta | None = None  # since the newest heartbeat of this driver; None: not one yet
    queries: tuple[ObservedQuery, ...] = ()  # those that this driver has told of
    paused: bool = False  # by a person: it may use no cores
    workers: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something to be done, and why, in words for people."""

    reason: str


class Submit(Action):
    """Start a driver."""


class Restart(Action):
    """End the driver, and start another."""


class Kill(Action):
    """End the driver."""


class GiveUp(Action):
    """End the driver, start no other, and call a person."""


class Adopt(Action):
    """Know the driver by the id that it has now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm(Action):
    """Tell a person; nothing can be done from here."""

    kind: str


def decide(seen: Observed) -> list[Action]:
    """Return what to do, most urgent first; nothing when all is well or on its way."""
    if not seen.wanted:
        return _end(seen, "it should not run")
    if seen.broken:
        return [Kill(reason="it was given up, but a driver of it runs")] if seen.running else []
    if seen.restarts >= CRASH_LOOP_RESTARTS:
        minutes = int(CRASH_LOOP_WITHIN.total_seconds() // 60)
        return [GiveUp(reason=f"it restarted {seen.restarts} times within {minutes} minutes")]
    if not seen.workers:
        return [Alarm(kind="no workers", reason="no Spark worker is there to run it")]
    if not seen.running:
        return [] if seen.blocked_by else [_start(seen, Submit(reason="it has no driver"))]
    if seen.outdated and seen.silence is not None:
        return _end(seen, "it runs what it should not run any more")
    return _adopt(seen) + (_unresponsive(seen) or _behind(seen))


def _end(seen: Observed, why: str) -> list[Action]:
    """Give a driver time to see its stop marker; it ends between two batches."""
    overdue = seen.running and seen.wanted_for > STOPPING
    return [Kill(reason=f"{why}, and has not ended by itself")] if overdue else []


def _start(seen: Observed, start: Submit | Restart) -> Action:
    """Start one more driver, unless none of the last few came to life."""
    if seen.vain_starts < VAIN_STARTS:
        return start
    return GiveUp(reason=f"it was started {seen.vain_starts} times, and gave no sign of life")


def _adopt(seen: Observed) -> list[Action]:
    if seen.driver == seen.submission:
        return []
    return [Adopt(reason=f"the cluster runs it as {seen.driver} now")]


def _unresponsive(seen: Observed) -> list[Action]:
    if seen.silence is None:
        return _lifeless(seen)
    if seen.silence > SILENT:
        return [Restart(reason=f"it has given no sign of life for {_seconds(seen.silence)} s")]
    return [] if seen.paused else _stuck(seen.queries)


def _stuck(queries: tuple[ObservedQuery, ...]) -> list[Action]:
    patience = _patience(queries)
    for query in queries:
        if query.lag and query.age is not None and query.age > patience:
            waited = f"has finished no batch for {_seconds(query.age)} s, with {query.lag} records to read"
            return [Restart(reason=f'its query "{query.name}" {waited}')]
    return []


def _patience(queries: tuple[ObservedQuery, ...]) -> timedelta:
    """Return how long a batch may take. Queries share the cores: those that catch up hold up the others.

    A backlog is one batch, however long it is, and is lost when the driver is ended.
    """
    backlogs = [query.lag for query in queries if query.catching_up]
    known = [lag for lag in backlogs if lag is not None]
    if not backlogs:
        return STUCK
    if len(known) < len(backlogs):
        return UNKNOWN_BACKLOG
    return CATCHING_UP + timedelta(seconds=sum(known) / SLOWEST_CATCH_UP)


def _lifeless(seen: Observed) -> list[Action]:
    """Give a driver time to start. One that the cluster has no room for would only lose its place in line."""
    if seen.started_for is None or seen.started_for <= STARTING:
        return []
    if seen.queued:
        return [Alarm(kind="no room", reason="the cluster has found no room for its driver yet")]
    return [_start(seen, Restart(reason="it has given no sign of life since it was started"))]


def _behind(seen: Observed) -> list[Action]:
    """Say which query is furthest behind, of those that fall further behind."""
    falling = [] if seen.paused else [query for query in seen.queries if _falls_behind(query)]
    return [
        Alarm(
            kind="lag",
            reason=f'its query "{query.name}" is {query.lag} records behind, and they grow more',
        )
        for query in sorted(falling, key=lambda query: query.lag or 0)[-1:]
    ]


def _falls_behind(query: ObservedQuery) -> bool:
    if query.catching_up or query.lag is None or query.lag <= LAG_BOUND:
        return False
    return query.lag_seen is not None and query.lag >= query.lag_seen


def _seconds(duration: timedelta) -> int:
    return int(duration.total_seconds())
