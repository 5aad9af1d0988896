"""The driver of an app: keeps its views up to date until it is told to stop.

    python artifact.zip stream traffic 0a1b2c3d4e5f6071

It takes the app's lease, starts the queries that the registry lists for it, and then watches: renews the
lease, writes heartbeats, publishes offsets, looks for the stop marker. It ends with 0 only when it was
stopped on purpose, when it should run something else by now, or when a newer driver has replaced it; with
anything else Spark starts it again.
"""

from __future__ import annotations

import itertools
import logging
import os
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kafka.errors import KafkaError

from headwater import offsets
from headwater.brokers import admin_client
from headwater.errors import Refusal
from headwater.registry import apps, connect, heartbeats, leases, releases
from headwater.replay.form import AT_A_SEAM
from headwater.serving import serve
from headwater.settings import Replaying, Settings
from headwater.topics import load_topics
from spark_apps import archiving, catalog, internals, session, sinks
from spark_apps.jobs import Job, Start, late_job, view_job
from spark_apps.query import Query
from spark_apps.rebuilding import Rebuild
from spark_apps.seam import Cut
from spark_apps.voice import standing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kafka import KafkaAdminClient
    from pyspark.sql import SparkSession

    from headwater.registry import Connection
    from headwater.topics import Topic
    from spark_apps.view import View
    from spark_apps.voice import Standing

log = logging.getLogger("headwater.stream")

TICK_SECONDS = 1.0
PATIENCE_SECONDS = 30.0
AT_ONCE = 4  # queries that catch up
SILENCE_SECONDS = 10.0  # a heartbeat at least this often, new batch or not


def run(app: str, artifact: str) -> None:
    """Run an app until its stop marker is set; any trouble is raised."""
    with ExitStack() as open_things:
        registry = open_things.enter_context(connect(Settings.load()))
        row = apps.app(registry, app)
        queries, speaks = (list(row["queries"]), row["speaks"]) if row else ([], False)
        settings = settings_of(speaks=speaks)

        def must_end() -> bool:
            return apps.must_end(registry, app, artifact, queries, speaks=speaks)

        if must_end():  # an old submission that the cluster started again: it must not take anybody's lease
            log.info("nothing to run app=%s artifact=%s", app, artifact)
            return
        lease = leases.take(registry, app, driver_id(), artifact, queries, speaks=speaks)
        log.info("lease taken app=%s token=%s driver=%s", app, lease.token, driver_id())
        spark = session.start(settings, app)
        kafka = open_things.enter_context(admin_client(settings, settings.reader))
        fence = open_things.enter_context(connect(settings))  # its own: queries commit on their own threads
        found = jobs(spark, settings, registry, kafka, app, queries, partial(standing, fence, speaks))
        running = [Query(spark, job, _guard(fence, lease, job.version)) for job in found]
        Driver(registry, kafka, lease, running, must_end, partial(internals.use_cores, spark)).run()


def settings_of(*, speaks: bool) -> Settings:
    """Return the settings of an app; one that may tell no output topic is somebody else to Kafka."""
    return (Settings if speaks else Replaying).load()


def jobs(
    spark: SparkSession,
    settings: Settings,
    registry: Connection,
    kafka: KafkaAdminClient,
    app: str,
    queries: Sequence[str],
    standing_of: Callable[[Mapping[str, Any]], Standing],
) -> list[Job]:
    """Return everything that an app has to run."""
    topics = load_topics()
    found: list[Job] = []
    for name in queries:
        version = releases.version(registry, name)
        view = _built(version)
        partitions = {topic: offsets.partitions(kafka, topic) for topic in view.reads}
        stands = standing_of(version)
        keep = partial(view_job, spark, settings, view, topics, partitions, standing=stands)
        apart = view.inputs if view.late == "separate" else ()
        keep_late = {topic: partial(late_job, spark, settings, view, topics[topic]) for topic in apart}
        start = _start(version)
        if start is None or version["form"] != AT_A_SEAM:
            found += [make(start) for make in (keep, *keep_late.values())]
        else:
            rebuild = _rebuild(spark, settings, view, topics, start, version)
            found += [rebuild.job(keep), *itertools.starmap(rebuild.late_job, keep_late.items())]
        if version["status"] == "live":
            sinks.publish(spark, view)
            with registry.transaction():
                serve(settings, registry, view.name)
    return [*found, archiving.archive_job(spark, settings, topics)] if app == archiving.APP else found


def _built(version: dict[str, Any]) -> View:
    """Return the view of this artifact's code that keeps a version."""
    view = catalog.view(version["view"])
    if view.version != version["version"]:
        raise Refusal(
            f"this artifact does not have {version['query']}", detail=f"It has version {view.version}."
        )
    return replace(view, build=version["build"])


def _start(version: dict[str, Any]) -> Start | None:
    if version["starting_offsets"] is None:
        return None
    return Start(offsets=version["starting_offsets"], stitches=version["stitches"], seam=version["seam_at"])


def _rebuild(
    spark: SparkSession,
    settings: Settings,
    view: View,
    topics: Mapping[str, Topic],
    start: Start,
    version: dict[str, Any],
) -> Rebuild:
    def remember(cut: Cut) -> Cut:
        with connect(settings) as registry:  # a history is written on a thread of its own
            return Cut.read(releases.cut(registry, version["query"], cut.to_json()))

    cut = Cut.read(version["cut"]) if version["cut"] else None
    return Rebuild(spark, settings, view, topics, start, cut, remember)


def driver_id() -> str:
    """Return what the engine calls this driver: as it was told, or the folder that a worker runs it in."""
    return os.environ.get("HEADWATER_DRIVER") or Path.cwd().name


ONE_AT_A_TIME = threading.Lock()  # queries commit at the same time, on one connection


def _guard(registry: Connection, lease: leases.Lease, version: str | None) -> Callable[[], None]:
    """Return what a query calls before each commit: it raises if this driver must not write."""

    def guard() -> None:
        with ONE_AT_A_TIME:
            leases.show(registry, lease, [version])

    return guard


class Driver:
    """Watches over the queries of one app."""

    def __init__(
        self,
        registry: Connection,
        kafka: KafkaAdminClient,
        lease: leases.Lease,
        queries: list[Query],
        must_end: Callable[[], bool],
        use_cores: Callable[[int | None], None],
    ) -> None:
        self._registry = registry
        self._kafka = kafka
        self._lease = lease
        self._queries = queries
        self._must_end = must_end
        self._use_cores = use_cores
        self._throttled = False
        self._told: dict[str, tuple[str, object, float]] = {}

    def run(self) -> None:
        """Start all queries and watch them; returns when the stop marker is set."""
        pause = threading.Event()
        while not self._must_end():
            self._watch()
            pause.wait(TICK_SECONDS)
        log.info("stop marker seen app=%s", self._lease.app)
        for query in self._queries:
            query.stop(PATIENCE_SECONDS)
            self._tell(query)

    def _throttle(self) -> None:
        """Use as many cores as the registry allows by now."""
        cores = apps.cores(self._registry, self._lease.app)
        if cores is not None or self._throttled:
            self._use_cores(cores)
        self._throttled = cores is not None

    def _watch(self) -> None:
        try:
            self._throttle()
            for query in next_to_start(self._queries):
                query.catch_up()
            for query in self._queries:
                query.tick()
                self._tell(query)
        finally:
            # Always: a query that failed because the lease was lost must end as fenced, not as failed.
            leases.show(self._registry, self._lease, [query.job.version for query in self._queries])

    def _tell(self, query: Query) -> None:
        """Write a heartbeat when there is news, or when there was none for a while."""
        progress = query.progress
        # Known by its moment: the report of a look in vain has the number that the next batch will have, too.
        look = progress and (progress["runId"], progress["timestamp"])
        phase, known, at = self._told.get(query.job.name, ("", None, 0.0))
        if (query.phase, look) == (phase, known) and time.monotonic() - at < SILENCE_SECONDS:
            return
        self._told[query.job.name] = (query.phase, look, time.monotonic())
        heartbeats.beat(
            self._registry,
            query=query.job.name,
            app=self._lease.app,
            token=self._lease.token,
            phase=query.phase,
            share=query.share,
        )
        if progress and look != known:
            self._record(query.job, progress)

    def _record(self, job: Job, progress: dict[str, Any]) -> None:
        reached = offsets_of(progress)
        if ran_a_batch(progress):
            heartbeats.record(self._registry, job.name, read_progress(progress))
        else:
            heartbeats.look_in_vain(self._registry, job.name, reached)
        try:
            offsets.publish(self._kafka, job.group, reached)
        except KafkaError as error:  # for show only, and the next batch tells again
            log.warning("offsets not published group=%s error=%r", job.group, error)


def next_to_start(queries: Sequence[Query]) -> list[Query]:
    """Return the queries that may catch up now: a few at a time, since all at once none gets anywhere."""
    under_way = [query for query in queries if not query.waiting and query.phase != "live"]
    return [query for query in queries if query.waiting][: AT_ONCE - len(under_way)]


def ran_a_batch(progress: dict[str, Any]) -> bool:
    """Say whether Spark reports of a batch, or of a look at the log that found nothing to read."""
    return "addBatch" in progress["durationMs"]


def offsets_of(progress: dict[str, Any]) -> heartbeats.Offsets:
    """Return how far a query has read, by Spark's report of its newest look at the log."""
    return internals.log_offsets(source["endOffset"] or {} for source in progress["sources"])


def read_progress(progress: dict[str, Any]) -> heartbeats.Progress:
    """Pick what matters out of Spark's report of a batch."""
    event_time = progress.get("eventTime") or {}
    arrived = [
        metrics["received_up_to"]
        for name, metrics in (progress.get("observedMetrics") or {}).items()
        if name.endswith("/arrived") and metrics["received_up_to"]
    ]
    return heartbeats.Progress(
        batch_id=progress["batchId"],
        batch_at=datetime.fromisoformat(progress["timestamp"]),
        offsets=offsets_of(progress),
        rows_in=progress["numInputRows"],
        rows_per_second=progress.get("processedRowsPerSecond") or 0.0,
        batch_seconds=progress["batchDuration"] / 1000,
        watermark_at=datetime.fromisoformat(event_time["watermark"]) if "watermark" in event_time else None,
        received_up_to=max(map(_as_time, arrived)) if arrived else None,
        dropped_rows=sum(state["numRowsDroppedByWatermark"] for state in progress["stateOperators"]),
    )


def _as_time(value: Any) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
