"""Where a rebuild is cut in two: the batch engine writes the rows before the seam, the stream the others.

    records   asked · · · · · · · · · · · · · · · start · · · · · · · · · · · · until · · · · · ►
    history   | reads all of them, and writes the rows that are final ·  · · · · |
    stream                                       | look-back |seam, and rows from there on · · · ►

Late is a property of the event, so a row is final once nothing can come that happened before it closed. How
far that is the log itself tells, by the rule by which a stream forgets: the newest event, less what the view
remembers. The seam lies before every row that is not final by then. A session that is still open moves it.

An event that is older than what was final, and comes nevertheless, stops the query before its commit: it
would belong into rows that nobody writes any more (`ledger.observe_stale`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from headwater import offsets
from headwater.bounds import CELL
from headwater.brokers import admin_client
from headwater.replay.request import EARLIEST
from headwater.replay.starting import offsets_of, resolve, stitches_of
from spark_apps import clocks, pipeline, stitched_log

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from headwater.replay.starting import Stretch
    from headwater.settings import Settings
    from headwater.topics import Topic
    from spark_apps.jobs import Start
    from spark_apps.view import View

    Offsets = Mapping[str, Mapping[str, int]]  # by topic and partition

TAIL = 500  # records at the end of each partition, among which the newest event is looked for
LONG_AGO = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Where a version is cut in two; decided once, and written down."""

    at: datetime  # the seam: rows from then on are the stream's
    final: datetime  # nothing that happened before then comes after `until`
    until: Offsets  # what the batch engine reads
    start: Offsets  # where the stream begins
    stitches: Offsets  # where, of that, Kafka takes over from the cold log

    def to_json(self) -> dict[str, Any]:
        """Return it as it is written down."""
        return {**asdict(self), "at": self.at.isoformat(), "final": self.final.isoformat()}

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Cut:
        """Read what was written down."""
        times = {name: datetime.fromisoformat(written[name]) for name in ("at", "final")}
        return cls(**{**written, **times})


def decide(
    spark: SparkSession,
    settings: Settings,
    view: View,
    topics: Mapping[str, Topic],
    asked: Start,
    until: Offsets,
    no_later_than: datetime | None = None,
) -> Cut:
    """Decide where to cut a version that is asked from a start on: as late as can be, unless told otherwise.

    The batch engine reads up to `until`, which as a rule is all that the log holds.
    """
    final = _final(spark, settings, view, topics, asked, until)
    final = min(final, no_later_than or final)
    at = final - view.window
    if view.closes:
        rows = rows_of(spark, settings, view, topics, asked, until)
        at = min(at, _oldest_open(rows, view, final) or at)
    stretches = list(_from(settings, view, asked, at, until))
    return Cut(
        at=at,
        final=final,
        until=until,
        start=offsets_of(stretches),
        stitches=stitches_of(stretches),
    )


def rows_of(
    spark: SparkSession,
    settings: Settings,
    view: View,
    topics: Mapping[str, Topic],
    asked: Start,
    until: Offsets,
) -> DataFrame:
    """Compute all rows, final or not, from what the batch engine reads."""
    read = stitched_log.log_of(view)
    records = {
        name: read(spark, settings, name, numbered(asked.offsets[name]), numbered(until[name]))
        for name in view.reads
    }
    return pipeline.batch_rows(view, records, dict(topics))


def numbered(offsets: Mapping[str, int]) -> dict[int, int]:
    """Return the offsets of a topic as Kafka counts partitions."""
    return {int(partition): offset for partition, offset in offsets.items()}


def ends(settings: Settings, view: View) -> Offsets:
    """Return where the log of a view ends now."""
    with admin_client(settings, settings.reader) as client:
        return {
            name: {str(partition): end for partition, end in offsets.ends(client, name).items()}
            for name in view.reads
        }


def _final(
    spark: SparkSession,
    settings: Settings,
    view: View,
    topics: Mapping[str, Topic],
    asked: Start,
    until: Offsets,
) -> datetime:
    """Return from when on events may still come: so long before the newest one that it would be forgotten."""
    newest = []
    for name in view.inputs:
        end, first = numbered(until[name]), numbered(asked.offsets[name])
        tail = {part: max(first[part], offset - TAIL) for part, offset in end.items()}
        records = stitched_log.read_range(spark, settings, name, tail, end)
        events = pipeline.batch_events(records, topics[name], view)
        newest.append(clocks.micros_of(events, F.max(view.clock)))
    known = [_moment(micros) for micros in newest if micros is not None]
    return max(known) - view.remembers if known else LONG_AGO


def _oldest_open(rows: DataFrame, view: View, final: datetime) -> datetime | None:
    """Return the time of the oldest row that an event may still change; none if there is none."""
    closes = F.expr(view.closing)
    is_open = closes.isNull() | (closes >= F.lit(final))
    micros = clocks.micros_of(rows.where(is_open), F.min(view.time))
    return _moment(micros) if micros is not None else None


def _from(settings: Settings, view: View, asked: Start, at: datetime, until: Offsets) -> Iterator[Stretch]:
    """Return what the stream reads: events since its look-back before the seam, and tables from the first."""
    # A repeat is known by its original, which lies up to one cell before it.
    since = max(at - view.look_back - CELL, LONG_AGO)
    with admin_client(settings, settings.reader) as client:
        events = resolve(settings, client, view.inputs, since.isoformat())
        changes = resolve(settings, client, view.tables, EARLIEST, superseded=True)
    for part in events:
        first, end = (of[part.topic].get(str(part.partition), 0) for of in (asked.offsets, until))
        yield replace(part, asked=min(max(part.asked, first), end))
    for part in changes:
        yield replace(part, asked=asked.offsets[part.topic].get(str(part.partition), 0))


def _moment(micros: int) -> datetime:
    return LONG_AGO + timedelta(microseconds=micros)
