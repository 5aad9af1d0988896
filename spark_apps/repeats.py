"""The same event twice: which of two records is the repeat, and how both engines drop it.

A repeat has the event id and the `occurred_at` of an earlier record in its partition, and a clock error
(received minus sent) in the same cell of ten minutes; cells are centred on zero. In words: a device or the
door sent it again. One that sends again later stamps a new `sent_at`, so the error stays the same; one that
sends the very same bytes up to five minutes later stays within the cell of a clock that is right.

The rule needs a bound because no engine can remember every id for ever, and this bound is made of the record
alone: two records of one cell lie less than ten minutes apart in event time, and one that is late has been
told apart before. So the original is always still remembered when its repeat arrives, whatever the size of
the batches, and live, replayed and in batch the same records are repeats. The first offset wins.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from headwater.bounds import CELL

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

IDENTITY = ("event_id", "occurred_at", "cell")


def identity() -> Column:
    """Return what events have in common of which all but the first are repeats."""
    return F.struct("event_id", "occurred_at", _cell())


def drop_from_stream(events: DataFrame) -> DataFrame:
    """Drop repeats from a stream that has its watermark."""
    # Records of one key come from one partition and keep their order, so the first to arrive is the first.
    return _with_cell(events).dropDuplicatesWithinWatermark([*IDENTITY]).drop("cell")


def drop_from_batch(events: DataFrame) -> DataFrame:
    """Drop repeats from a bounded set of events."""
    same_event = Window.partitionBy(*IDENTITY).orderBy("partition", "offset")
    numbered = _with_cell(events).withColumn("sighting", F.row_number().over(same_event))
    return numbered.where("sighting = 1").drop("cell", "sighting")


def with_original(events: DataFrame) -> DataFrame:
    """Add to each of a bounded set of events the place of its `original`: its own, unless it is a repeat."""
    same_event = Window.partitionBy(*IDENTITY).orderBy("partition", "offset")
    original = F.first(F.struct("partition", "offset")).over(same_event)
    return _with_cell(events).withColumn("original", original).drop("cell")


def _with_cell(events: DataFrame) -> DataFrame:
    return events.withColumn("cell", _cell())


def _cell() -> Column:
    width = CELL // timedelta(milliseconds=1)
    return F.floor((F.col("clock_error") + width // 2) / width)
