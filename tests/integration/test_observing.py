"""What supervision sees of an app in a real registry, and so what it does about it."""

from __future__ import annotations

import uuid
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from psycopg.types.json import Jsonb

from headwater import names, offsets
from headwater.brokers import admin_client
from headwater.registry import apps, connect, heartbeats, leases
from headwater.supervision.deciding import Adopt, Observed, Restart, Submit, decide
from headwater.supervision.observing import observe
from spark_apps import stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headwater.registry import Connection
    from headwater.settings import Settings

TOPIC = "page_views"
READ = {TOPIC: {"0": 100}}
NEWS = {TOPIC: {0: 101}}  # one record more than was read


@dataclass
class Cluster:
    """A cluster that says whatever a test has it say; nothing runs in it."""

    alive: set[str] = field(default_factory=set)
    without_room: bool = False

    def running(self, driver: str) -> bool:
        return driver in self.alive

    def queued(self, _driver: str) -> bool:
        return self.without_room

    def drivers(self) -> set[str]:
        return self.alive


class App:
    """An app of two queries, under names that no other test uses; its driver is what a test says of it."""

    def __init__(self, registry: Connection) -> None:
        self.registry, self.name = registry, f"app_{uuid.uuid4().hex[:8]}"
        self.cluster: Any = Cluster()
        self.queries = [f"{self.name}.v1", f"{self.name}.v2"]
        self.lease: leases.Lease | None = None
        registry.execute("INSERT INTO artifacts VALUES (%s, 'nowhere', %s)", [self.name, Jsonb({})])
        apps.assign(registry, self.name, self.name, self.queries)

    def submit(self, driver: str) -> None:
        self.cluster.alive.add(driver)
        apps.submitting(self.registry, self.name, ())
        apps.submitted(self.registry, self.name, driver)
        self.act("submit")

    def act(self, action: str) -> None:
        self.registry.execute(
            "INSERT INTO actions (app, action, reason) VALUES (%s, %s, 'why not')", [self.name, action]
        )

    def start(self, driver: str) -> None:
        self.lease = leases.take(self.registry, self.name, driver, self.name, self.queries)

    def beat(self, *queries: str, phase: str = "live") -> None:
        assert self.lease is not None
        for query in queries:
            heartbeats.beat(self.registry, query=query, app=self.name, token=self.lease.token, phase=phase)

    def sees(self, ends: dict[str, dict[int, int]] | None = None) -> Observed:
        seen = observe(self.registry, self.cluster, self.name, 1, ends or {})
        assert seen is not None
        return seen

    def later(self, minutes: int) -> None:
        """Let time pass; a driver that lives beats all the while."""
        for table, columns in {
            "apps": ("wanted_at", "submitted_at"),
            "leases": ("taken_at", "renewed_at"),
            "heartbeats": ("looked_at", "batch_at", "phase_at"),
            "starts": ("started_at",),
            "actions": ("taken_at",),
        }.items():
            earlier = ", ".join(
                f"{column} = {column} - {minutes} * interval '1 minute'" for column in columns
            )
            name = "name" if table == "apps" else "app"
            self.registry.execute(f"UPDATE {table} SET {earlier} WHERE {name} = %s", [self.name])


@contextmanager
def an_app(settings: Settings) -> Iterator[App]:
    with connect(settings) as registry:
        app = App(registry)
        yield app
        for table in ("heartbeats", "writers", "starts", "leases", "actions"):
            registry.execute(f"DELETE FROM {table} WHERE app = %s", [app.name])
        registry.execute("DELETE FROM apps WHERE name = %s", [app.name])
        registry.execute("DELETE FROM artifacts WHERE hash = %s", [app.name])


@pytest.fixture
def app(instance: Settings) -> Iterator[App]:
    with an_app(instance) as app:
        yield app


@pytest.fixture
def live(app: App) -> App:
    """Let an app follow the log: all that there is was read just now."""
    app.submit("driver-1")
    app.later(minutes=60)
    app.start("driver-1")
    app.beat(*app.queries)
    for query in app.queries:
        heartbeats.record(app.registry, query, batch(READ))
    return app


def batch(offsets: dict[str, dict[str, int]]) -> heartbeats.Progress:
    return heartbeats.Progress(
        batch_id=7,
        batch_at=datetime.now(UTC),
        offsets=offsets,
        rows_in=1,
        rows_per_second=1.0,
        batch_seconds=1.0,
        watermark_at=None,
        received_up_to=None,
        dropped_rows=0,
    )


def test_first_record_after_a_quiet_time_finds_no_query_stuck(live: App) -> None:
    live.later(minutes=60)
    for query in live.queries:
        heartbeats.look_in_vain(live.registry, query, READ)
    assert decide(live.sees(NEWS)) == []
    live.later(minutes=4)
    assert decide(live.sees(NEWS)) == []
    live.later(minutes=2)  # by now somebody should have looked
    assert [type(action) for action in decide(live.sees(NEWS))] == [Restart]


def test_query_that_reads_is_not_held_up_by_one_that_has_nothing_to_read(live: App) -> None:
    quiet, busy = live.queries
    heartbeats.look_in_vain(live.registry, quiet, {"logins": {"0": 3}})
    live.later(minutes=60)
    heartbeats.record(live.registry, busy, batch(READ))
    seen = live.sees({**NEWS, "logins": {0: 3}})
    assert {query.name: query.lag for query in seen.queries} == {quiet: 0, busy: 1}
    assert decide(seen) == []


def test_time_that_a_query_waits_for_its_turn_does_not_count(live: App) -> None:
    live.start("driver-2")
    live.beat(*live.queries, phase="waiting")
    live.later(minutes=60)
    assert [query.age for query in live.sees(NEWS).queries] == [None, None]
    live.beat(*live.queries, phase="catching up")
    ages = [query.age for query in live.sees(NEWS).queries]
    assert all(age is not None and age.total_seconds() < 60 for age in ages)


def test_growth_of_a_lag_is_that_of_the_query(live: App) -> None:
    for query, lag in zip(live.queries, (5, 7), strict=True):
        heartbeats.see_lag(live.registry, query, lag)
    assert [query.lag_seen for query in live.sees().queries] == [5, 7]


def test_starts_in_vain_are_counted_until_a_driver_is_alive(app: App) -> None:
    for driver in ("driver-1", "driver-2", "driver-3"):
        app.submit(driver)
        app.later(minutes=4)
    assert (app.sees().vain_starts, app.sees().restarts) == (3, 1)
    app.start("driver-3")
    assert app.sees().vain_starts == 3  # it has its lease, and may still die before its queries run
    app.beat(app.queries[0])
    assert app.sees().vain_starts == 0


def test_driver_without_queries_lives_as_long_as_it_renews_its_lease(app: App) -> None:
    app.queries = []
    apps.assign(app.registry, app.name, app.name, [])
    app.submit("driver-1")
    app.start("driver-1")
    assert app.sees().silence is None
    assert app.lease is not None
    leases.show(app.registry, app.lease)
    seen = app.sees()
    assert seen.silence is not None
    assert (seen.vain_starts, decide(seen)) == (0, [])


def test_driver_without_room_is_told_from_one_that_does_not_start(app: App) -> None:
    app.submit("driver-1")
    assert not app.sees().queued
    app.cluster.without_room = True
    assert app.sees().queued


def test_submission_that_nobody_wrote_down_is_waited_for_and_adopted(app: App) -> None:
    app.submit("driver-1")
    app.cluster.alive = {"another's"}
    apps.submitting(app.registry, app.name, app.cluster.alive)  # and then the task dies
    assert [type(action) for action in decide(app.sees())] == [Submit]
    app.cluster.alive.add(nobodys := f"driver-of-{app.name}")
    assert decide(app.sees()) == []
    app.start(nobodys)
    app.beat(*app.queries)
    assert [type(action) for action in decide(app.sees())] == [Adopt]
    apps.submitted(app.registry, app.name, nobodys)
    assert decide(app.sees()) == []


def test_submission_that_nobody_wrote_down_is_not_waited_for_for_ever(app: App) -> None:
    apps.submitting(app.registry, app.name, ())
    app.cluster.alive.add(f"driver-of-{app.name}")
    assert decide(app.sees()) == []
    app.later(minutes=4)
    assert [type(action) for action in decide(app.sees())] == [Submit]


def test_driver_that_another_app_is_known_by_is_nobody_to_wait_for(instance: Settings, app: App) -> None:
    apps.submitting(app.registry, app.name, ())
    app.cluster.alive.add(nobodys := f"driver-of-{app.name}")
    assert decide(app.sees()) == []
    with an_app(instance) as other:
        other.submit(nobodys)
        assert [type(action) for action in decide(app.sees())] == [Submit]


class Reporting:
    """A query of which Spark reports what a test says, one report at each look of the driver."""

    phase, waiting, share = "live", False, None

    def __init__(self, name: str, reports: list[dict[str, Any]]) -> None:
        self.job = SimpleNamespace(name=name, group=names.consumer_group(name), version=None)
        self._reports = iter(reports)
        self.progress: dict[str, Any] | None = None

    def tick(self) -> None:
        self.progress = next(self._reports)

    def stop(self, _patience: float) -> None:
        """Nothing runs."""


def report(second: int, batch_id: int, end: int, **durations: int) -> dict[str, Any]:
    """Return what Spark tells of a look at the log; tests/unit/spark/test_looks.py shows that it does."""
    return {
        "runId": "the only one",
        "batchId": batch_id,
        "timestamp": f"2026-01-01T10:00:{second:02}.000Z",
        "durationMs": {"triggerExecution": 5, **durations},
        "batchDuration": 5,
        "numInputRows": end,
        "sources": [{"endOffset": {TOPIC: {"0": end}}}],
        "stateOperators": [],
    }


def test_driver_tells_of_the_batch_after_a_quiet_time_and_of_looks_in_vain(
    instance: Settings, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "TICK_SECONDS", 0.0)
    reports = [
        report(0, batch_id=7, end=70, addBatch=3),
        report(20, batch_id=8, end=70),
        report(30, batch_id=8, end=70),
        report(40, batch_id=8, end=80, addBatch=3),
    ]
    app.submit("driver-1")
    app.start("driver-1")
    assert app.lease is not None
    told: list[tuple[Any, ...]] = []

    def all_is_told() -> bool:
        beat = heartbeats.of_query(app.registry, app.queries[0])
        if beat is not None:
            told.append((beat["batch_id"], beat["offsets"], beat["batch_at"].second, beat["looked_at"]))
        return len(told) == len(reports)

    with admin_client(instance, "apps") as kafka:
        query: Any = Reporting(app.queries[0], reports)
        stream.Driver(app.registry, kafka, app.lease, [query], all_is_told, lambda _cores: None).run()
        assert offsets.published(kafka, query.job.group) == {TOPIC: {0: 80}}
    ends = [{TOPIC: {"0": end}} for end in (70, 70, 70, 80)]
    assert [(batch, reached, second) for batch, reached, second, _ in told] == [
        (7, ends[0], 0),
        (7, ends[1], 0),
        (7, ends[2], 0),
        (8, ends[3], 40),
    ]
    looks = [looked_at for *_, looked_at in told]
    assert sorted(set(looks)) == looks
