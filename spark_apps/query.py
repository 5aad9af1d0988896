"""One streaming query on its way: first it catches up, then it follows the log.

A rebuild at a seam has its history written before, on a thread of its own: it may take long.

Catching up is one batch without a cap. A capped one would be wrong, not just slow: partitions of a backlog
are seldom aligned in time, the watermark runs ahead with the newest, and what the others still hold would be
dropped as too old. In a single batch the watermark moves only at its end.
"""

from __future__ import annotations

import json
import threading
import time
import zlib
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from spark_apps import histories, internals, sinks
from spark_apps.kafka_log import LIVE_RECORDS_PER_BATCH
from spark_apps.session import haste

if TYPE_CHECKING:
    from collections.abc import Callable

    from py4j.java_gateway import JavaObject
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from spark_apps.histories import Batch
    from spark_apps.jobs import Guard, Job


# Older batches are served first: of pools with as much to do, Spark serves the one whose name comes first. A
# batch moves on to the next pool as it grows older, for the jobs that it has still to submit. First come,
# first served among single jobs would let a batch of many small jobs stand in line for each of them, and a
# pool for each query would favour the letter A.
AGES = {120: "age 0", 60: "age 1", 20: "age 2", 0: "age 3"}  # seconds, oldest first

LITTLE = 0.02  # share of a pause


class RowsDropped(Exception):
    """Spark's watermark dropped rows that the late rule had let through, or history has no place for them."""


class Query:
    """A job that runs. `guard` is called before each commit, and raises if this driver must not write."""

    def __init__(self, spark: SparkSession, job: Job, guard: Guard) -> None:
        self.job = job
        self.phase = "waiting"  # for its turn
        self._spark = spark
        self._guard = guard
        self._started = threading.Event()
        self._history: threading.Thread | None = None
        self._trouble: Exception | None = None  # with the history
        self._began = 0.0  # the newest batch
        self._settings: JavaObject | None = None  # of the thread that runs it
        self._told: dict[str, Any] | None = None  # by the run before this one
        self._query: StreamingQuery

    def catch_up(self, most: int | None = None) -> None:
        """Read what the log holds now, and end. In one batch, unless told how much one may read at most."""
        if self.job.history is None:
            self.phase = "catching up"
            self._run(self.job.rows(most), {"availableNow": True})
            return
        self.phase = "writing history"
        self._history = threading.Thread(target=self._begin, args=[self.job.history, most], daemon=True)
        self._history.start()

    def _begin(self, history: Callable[[Guard], Job], most: int | None) -> None:
        """Write the history, and then catch up with what is left."""
        try:
            self.job = history(self._guard)
            self.phase = "catching up"
            self._run(self.job.rows(most), {"availableNow": True})
        except Exception as error:  # raised again by whoever waits
            self._trouble = error

    def wait(self) -> None:
        """Wait until catching up has come to its end, and let it go; raise what went wrong.

        Python holds the query, which holds in Java the function that writes its batches, which Python holds.
        """
        if self._history is not None:
            self._history.join()
        if self._trouble is not None:
            raise self._trouble
        try:
            self._query.awaitTermination()
        finally:
            del self._query

    @property
    def waiting(self) -> bool:
        """Whether it has still to begin."""
        return not self._reads and self._history is None

    @property
    def _reads(self) -> bool:
        return self._started.is_set()

    def tick(self) -> None:
        """Raise what stopped the query; when it has caught up, let it follow the log."""
        self._grow_older()
        if self._trouble is not None:
            raise self._trouble
        if not self._reads or self._query.isActive:
            return
        if error := self._query.exception():
            raise error
        self._told = self.progress
        self.phase = "live"
        pause = between_looks(self.job.name, self.job.trigger / haste(self._spark))
        self._run(
            self.job.rows(LIVE_RECORDS_PER_BATCH), {"processingTime": f"{pause.total_seconds()} seconds"}
        )

    def stop(self, patience: float) -> None:
        """End between two batches if the current one ends in time; one that is cut off is simply redone."""
        if not self._reads:
            return
        waited = threading.Event()
        while self._query.isActive and self._query.status["isTriggerActive"] and patience > 0:
            waited.wait(0.2)
            patience -= 0.2
        self._query.stop()

    @property
    def share(self) -> float | None:
        """How much of a backlog is read, between 0 and 1; None once the query is live.

        Only a guess in an app with several queries: Spark does not say whose tasks they are.
        """
        return None if self.phase == "live" else internals.share_done(self._spark)

    @property
    def progress(self) -> dict[str, Any] | None:
        """What the newest look at the log came to, as Spark reports it: a batch, or nothing to read."""
        newest = self._query.lastProgress if self._reads else None
        return dict(json.loads(newest.json)) if newest else self._told

    def _run(self, rows: DataFrame, trigger: dict[str, Any]) -> None:
        self._started.clear()
        writer = rows.writeStream.queryName(self.job.name).outputMode(self.job.output)
        writer = writer.option("checkpointLocation", self.job.checkpoint).trigger(**trigger)
        self._query = writer.foreachBatch(self._write).start()
        self._started.set()

    def _grow_older(self) -> None:
        """Put the jobs that a batch has still to submit into the pool of its age."""
        if self._settings is not None:
            age = time.monotonic() - self._began
            pool = next(pool for seconds, pool in AGES.items() if age >= seconds)
            self._settings.setProperty("spark.scheduler.pool", pool)

    def _write(self, rows: DataFrame, batch: int) -> None:
        self._started.wait()
        self._began, self._settings = time.monotonic(), internals.local_properties(self._spark)
        self._grow_older()
        query = str(self._query.id)
        last = histories.last_batch(self._spark, self.job.table, query)
        if last is not None and last.number >= batch:
            rows.count()  # rows are there already; running the plan brings the state up to the same point
            return
        rows.persist()
        try:
            self._commit(rows, batch, query, last)
        finally:
            rows.unpersist()

    def _commit(self, rows: DataFrame, batch: int, query: str, last: Batch | None) -> None:
        bounds = self.job.bounds(rows)  # computes the rows
        if dropped := internals.dropped_rows(self._spark, self._query):
            raise RowsDropped(
                f"{self.job.name}: batch {batch} lost {dropped} rows to the watermark; it is not committed. "
                "Partitions ran further apart than the view's `disorder` allows: replay the view."
            )
        observed = internals.observed(self._query)
        if stale := self.job.stale(observed):
            raise RowsDropped(
                f"{self.job.name}: batch {batch} has {stale} events of a time that was taken for final when "
                "its history was written; it is not committed. Partitions ran further apart than the view's "
                "`disorder` allows: replay the view."
            )
        offsets = internals.planned_offsets(self._spark, self.job.checkpoint, batch)
        counts = self.job.counts(observed)
        commit = sinks.Commit(query=query, batch=batch, offsets=offsets, counts=counts, after=last)
        self._guard()
        if bounds["found"]:
            self.job.write(rows, commit, bounds)
        elif batch == 0 or offsets != internals.planned_offsets(self._spark, self.job.checkpoint, batch - 1):
            self.job.note(commit)


def between_looks(name: str, pause: timedelta) -> timedelta:
    """Return how long a query waits from look to look: a little longer than the others, each in its own way.

    Spark counts in whole pauses since 1970. Of queries with the same pause all would begin at one moment, and
    stand in each other's way, although there is nothing to do before and after.
    """
    longest = int(pause / timedelta(milliseconds=1) * LITTLE)
    return pause + timedelta(milliseconds=zlib.crc32(name.encode()) % (longest + 1))
