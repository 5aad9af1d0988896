"""Late events that a backfill admits: its own lateness in the place of the view's.

    received      ·····|··●·······|··········|
    event time    12:00│  12:01   │12:10     │14:01
                       └ on time  └ late for the view, admitted with a lateness of two hours

Everything else is decided as always. A view that corrects its rows has heard of late events anyway, and one
that goes by the time of receipt knows none: for them another lateness changes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps import clocks, pipeline, sinks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame

    from headwater.replay.between import Between
    from headwater.topics import Topic
    from spark_apps.view import View

MICROSECOND = timedelta(microseconds=1)


def admits(view: View, lateness: timedelta | None) -> bool:
    """Say whether events come in that are too late for the view itself."""
    return lateness is not None and lateness > view.lateness and view.leaves_out_late


def admitting(view: View, lateness: timedelta | None) -> View:
    """Return the view as it is with this lateness."""
    return replace(view, lateness=lateness) if lateness is not None and admits(view, lateness) else view


def count_late(
    records: Mapping[str, DataFrame], topics: Mapping[str, Topic], view: View, wide: View, between: Between
) -> int:
    """Count the events of a stretch that are late for the view, and not with the wide lateness."""
    during = sinks.between("event_time", between)
    return sum(
        pipeline.batch_events(records[name], topics[name], wide)
        .where(clocks.late(view.lateness) & during)
        .count()
        for name in view.inputs
    )


def torn(ordinary: DataFrame, admitted: DataFrame, view: View, starts: Between) -> int:
    """Count rows that late events take away on one side of an edge of the stretch, for one on the other side.

    Where events decide how long a window is, a late one may make one session of two. If only one of them is
    replaced, the other is lost, or there twice.
    """
    others = [key for key in view.keys if key != view.time]
    gone = ordinary.join(admitted, on=list(view.keys), how="left_anti")
    pairs = _extents(gone, view, others, "gone").join(
        _extents(admitted.exceptAll(ordinary), view, others, "new"),
        on=reduce(and_, (F.col(f"gone.{key}").eqNullSafe(F.col(f"new.{key}")) for key in others), _meet()),
        how="inner",
    )
    sides = [sinks.between(f"{one}.at", starts) for one in ("gone", "new")]
    return pairs.where(sides[0] != sides[1]).count()


def _extents(rows: DataFrame, view: View, others: list[str], name: str) -> DataFrame:
    """Return from when to when the events lie that rows are made of."""
    at, ends = F.col(view.time), F.coalesce(F.expr(view.closing), F.col(view.time))
    begins = F.timestamp_micros(F.unix_micros(at) - view.look_back // MICROSECOND)
    return rows.select(at.alias("at"), begins.alias("begins"), ends.alias("ends"), *others).alias(name)


def _meet() -> Column:
    return (F.col("gone.begins") <= F.col("new.ends")) & (F.col("new.begins") <= F.col("gone.ends"))
