"""Rebuilds at a seam in a test: the driver's own steps, without a registry."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from headwater.brokers import admin_client
from headwater.replay.request import EARLIEST
from headwater.replay.starting import offsets_of, resolve, stitches_of
from spark_apps.jobs import Start, late_job, view_job
from spark_apps.rebuilding import Rebuild

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from spark_apps.jobs import Job
    from spark_apps.seam import Cut
    from spark_apps.view import View
    from tests.streams import Log


def from_the_first_record(log: Log, view: View) -> Start:
    """Return where a rebuild from the beginning starts, in Kafka or in the cold log."""
    with admin_client(log.settings, "apps") as client:
        held = resolve(log.settings, client, view.reads, EARLIEST)
    return Start(offsets=offsets_of(held), stitches=stitches_of(held), seam=None)


def rebuild_of(
    spark: SparkSession,
    log: Log,
    view: View,
    cut: Cut | None = None,
    remember: Callable[[Cut], Cut] = lambda decided: decided,
) -> list[Job]:
    """Return the jobs of a version that is cut in two: its own, and those of late events that it keeps."""
    topics, asked = log.by_name(), from_the_first_record(log, view)
    rebuild = Rebuild(spark, log.settings, view, topics, asked, cut, remember)
    partitions = {name: sorted(log.ends(name)) for name in view.reads}
    apart = view.inputs if view.late == "separate" else ()
    return [
        rebuild.job(partial(view_job, spark, log.settings, view, topics, partitions)),
        *(
            rebuild.late_job(name, partial(late_job, spark, log.settings, view, topics[name]))
            for name in apart
        ),
    ]
