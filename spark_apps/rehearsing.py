"""A rehearsal: the real query of a view over a part of the log, in scratch, in batches that we choose.

    received   · · · · · · · · · · · · · |  ·  |  ·  |  ·  |
    batches       the backlog, at once      then what comes, piece by piece

It is the query that keeps the view, from decoding to merging, with its state and its watermark; only the
source is another one. A stream of Kafka cannot be told where to end, nor where to end a batch; so records are
copied to files, a piece at a time, and the query reads what it finds and ends. Pieces are cut by the time at
which records were received: whatever the order of the log, no record of a later piece is too old for the
watermark of an earlier one.

Nothing of it is seen outside: nothing is published, nothing is registered, nobody's offsets move.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from headwater import names, scratch
from spark_apps import internals, sinks, stitched_log
from spark_apps.jobs import Start, view_job
from spark_apps.query import Query
from spark_apps.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from pyspark.sql import DataFrame, SparkSession

    from headwater.settings import Settings
    from headwater.topics import Topic

    Records = Mapping[str, DataFrame]  # by topic


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch(View):
    """A view whose tables and checkpoint are nobody's version."""

    @classmethod
    def of(cls, view: View) -> Scratch:
        """Return a view like another one, but in scratch."""
        return cls(**{field.name: getattr(view, field.name) for field in fields(view)})

    @property
    def query(self) -> str:
        """The name of the query."""
        return f"{scratch.NAMESPACE}.{names.query(self.name, self.label)}"

    @property
    def table(self) -> str:
        """The table of its rows."""
        return f"{scratch.NAMESPACE}.{self.name}__{self.label}"

    def state_table(self, topic: str) -> str:
        """Return the table in which it remembers one input."""
        return f"{self.table}__{topic}"

    @property
    def checkpoint(self) -> str:
        """The folder of its progress."""
        return scratch.checkpoint(self.name)


def rehearse(
    spark: SparkSession,
    settings: Settings,
    view: View,
    topics: Mapping[str, Topic],
    records: Records,
    cuts: Sequence[datetime],
    seam: datetime,
) -> Scratch:
    """Run the query of a view over records, cut at these times, for rows from the seam on.

    The caller has the scratch of the view to itself, and gives records of partitions that topics declare.
    """
    own = Scratch.of(view)
    folder = f"{settings.checkpoints}/{own.checkpoint}/records"

    def source(topic: str, _most: int | None) -> DataFrame:
        return spark.readStream.schema(stitched_log.SCHEMA).parquet(f"{folder}/{topic}/*")

    partitions = {name: list(range(topics[name].partitions)) for name in view.reads}
    start = Start(offsets={}, seam=seam)
    job = view_job(spark, settings, own, dict(topics), partitions, start, source=source)
    try:
        for number, piece in enumerate(_pieces(records, cuts)):
            for topic, part in piece.items():
                sinks.copy(part, f"{folder}/{topic}/{number:03}")
            query = Query(spark, job, _nobody_else_writes)
            query.catch_up()
            query.wait()
    finally:
        internals.let_go_of_state(spark)
    return own


def given_out(spark: SparkSession, settings: Settings, own: Scratch) -> datetime:
    """Return up to when a rehearsal has given out rows that appear once, when they are final."""
    checkpoint = f"{settings.checkpoints}/{own.checkpoint}"
    batch = 0
    while internals.exists(spark, f"{checkpoint}/offsets/{batch + 1}"):
        batch += 1
    return internals.planned_watermark(spark, checkpoint, batch)


def _pieces(records: Records, cuts: Sequence[datetime]) -> Iterator[Records]:
    """Cut records by when they were received: before the first cut, between two, after the last."""
    received = F.col("timestamp")
    for begin, end in zip([None, *cuts], [*cuts, None], strict=True):
        since = received >= F.lit(begin) if begin else F.lit(True)
        before = received < F.lit(end) if end else F.lit(True)
        yield {topic: part.where(since & before) for topic, part in records.items()}


def _nobody_else_writes() -> None:
    """Stand in for the lease: the scratch of a view has a lock of its own."""
