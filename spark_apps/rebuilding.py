"""A rebuild at a seam, as the driver of a candidate goes about it: history first, then the stream.

    1  decide where to cut, and write it down                 in the registry
    2  write the rows before the seam                         one commit, with the ledger of its records
    3  start the stream from there on                         the first batch of the query

A driver that dies goes on where it was: what is decided stays decided, and a history that has been committed
is found in the table. Before the commit there is nothing.
"""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps import histories, ledger, pipeline, seam, sinks, stitched_log
from spark_apps.jobs import Start

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.jobs import Guard, Job
    from spark_apps.seam import Cut, Offsets
    from spark_apps.view import View


class Rebuild:
    """One version that is asked from a start on, and cut in two."""

    def __init__(
        self,
        spark: SparkSession,
        settings: Settings,
        view: View,
        topics: Mapping[str, Topic],
        asked: Start,
        cut: Cut | None,
        remember: Callable[[Cut], Cut],
    ) -> None:
        self._spark, self._settings = spark, settings
        self._view, self._topics, self._asked = view, topics, asked
        self._cut, self._remember = cut, remember
        self._deciding = Lock()

    def job(self, make: Callable[[Start], Job]) -> Job:
        """Return the job of the view itself: with the rows of history before it."""
        return self._with_history(make, self._view.table, self._rows)

    def late_job(self, topic: str, make: Callable[[Start], Job]) -> Job:
        """Return the job of an input's late events: with those from before its stream begins."""
        return self._with_history(make, self._view.late_table(topic), lambda cut: self._late(topic, cut))

    def _with_history(
        self,
        make: Callable[[Start], Job],
        table: str,
        rows: Callable[[Cut], tuple[DataFrame, sinks.History]],
    ) -> Job:
        def history(guard: Guard) -> Job:
            cut = self._where()
            if not histories.has_begun(self._spark, table):
                found, commit = rows(cut)
                guard()
                sinks.begin(found, table, commit)
            return make(self._start(cut))

        return replace(make(self._asked), history=history)

    def _where(self) -> Cut:
        with self._deciding:  # of the queries of one version, the first decides
            if self._cut is None:
                until = seam.ends(self._settings, self._view)
                decided = seam.decide(
                    self._spark, self._settings, self._view, self._topics, self._asked, until
                )
                self._cut = self._remember(decided)
            return self._cut

    def _start(self, cut: Cut) -> Start:
        whole_from = max(filter(None, (self._asked.seam, cut.at)))
        return Start(offsets=cut.start, stitches=cut.stitches, seam=whole_from, cut=cut)

    def _rows(self, cut: Cut) -> tuple[DataFrame, sinks.History]:
        view, since = self._view, self._asked.seam
        rows = seam.rows_of(self._spark, self._settings, view, self._topics, self._asked, cut.until)
        before = rows.where(F.col(view.time) < F.lit(cut.at))
        whole = before.where(F.col(view.time) >= F.lit(since)) if since else before
        counts = {
            name: pipeline.batch_counts(
                self._before_the_stream(name, cut), self._topics[name], view, seam.numbered(cut.until[name])
            )
            for name in view.inputs
        }
        return whole, sinks.History(covers=cut.start, counts=ledger.to_json(counts), read=cut.until)

    def _late(self, topic: str, cut: Cut) -> tuple[DataFrame, sinks.History]:
        events = pipeline.late_events(self._before_the_stream(topic, cut), self._topics[topic], self._view)
        covered: Offsets = {topic: cut.start[topic]}
        # The ledger of the view counts them.
        return events, sinks.History(covers=covered, counts="{}", read=covered)

    def _before_the_stream(self, topic: str, cut: Cut) -> DataFrame:
        first, after = (seam.numbered(of[topic]) for of in (self._asked.offsets, cut.start))
        return stitched_log.read_range(self._spark, self._settings, topic, first, after)
