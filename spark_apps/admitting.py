"""Late events that a backfill admits: its own lateness in the place of the view's.

    received      ·····|··●·······|··········|
    event time    12:00│  12:01   │12:10     │14:01
                       └ on time  └ late for the view, admitted with a lateness of two hours

Everything else is decided as always. A view that corrects its rows has heard of late events anyway, and one
that goes by the time of receipt knows none: for them another lateness changes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_apps import clocks, pipeline, sinks

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import timedelta

    from pyspark.sql import DataFrame

    from headwater.replay.between import Between
    from headwater.topics import Topic
    from spark_apps.view import View


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
    """Count windows that late events join with others across an edge of the stretch.

    Where events decide how long a window is, a late one may make one session of two. If only one of them is
    replaced, the other is lost, or there twice.
    """
    if not view.closes:
        return 0
    others = [key for key in view.keys if key != view.time]
    gone = ordinary.join(admitted, on=list(view.keys), how="left_anti").alias("gone")
    ends = F.expr(view.closing).alias("ends")
    longer = admitted.select(F.col(view.time).alias("begins"), ends, *others).alias("longer")
    same = [F.col(f"gone.{key}").eqNullSafe(F.col(f"longer.{key}")) for key in others]
    swallowed = F.col(f"gone.{view.time}").between(F.col("begins"), F.col("ends"))
    pairs = gone.join(longer, on=reduce(and_, same, swallowed), how="inner")
    one_inside, other_inside = sinks.between(f"gone.{view.time}", starts), sinks.between("begins", starts)
    return pairs.where(one_inside != other_inside).count()
