"""Back-pressure: a flood is read bit by bit, so that memory is bounded, and the query catches up."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from headwater.shop import Simulation
from spark_apps import catalog, histories, query
from spark_apps.query import Query
from tests.streams import anybody_may_write, assert_up_to_date, job_of, new_log
from tests.waiting import wait_for

if TYPE_CHECKING:
    import pytest
    from pyspark.sql import SparkSession

    from headwater.settings import Settings

RATE = 1  # events a second, and then a hundred times as many
MOST = 1_500
AT_ONCE = timedelta(milliseconds=1)


def test_flood_of_a_hundred_times_the_rate_is_read_bit_by_bit(
    lake: SparkSession, instance: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query, "LIVE_RECORDS_PER_BATCH", MOST)
    log = new_log(instance)
    view = log.view(catalog.view("page_views_per_minute"))
    start = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
    log.load(Simulation(seed=1, rate=RATE, start=start, count=100))
    live = Query(lake, replace(job_of(lake, log, view), trigger=AT_ONCE), anybody_may_write)

    def follows() -> bool:
        live.tick()  # raises what has stopped it
        return live.phase == "live"

    live.catch_up()
    wait_for("catching up", follows)
    log.load(
        Simulation(seed=2, rate=100 * RATE, start=start + timedelta(minutes=2), duration=timedelta(minutes=1))
    )

    def read() -> list[int]:
        """Return up to where each batch has read, all partitions together."""
        commits = histories.batches(lake, view.table)
        reached = [json.loads(commit[histories.OFFSETS])[log.topic.name] for commit in commits]
        return [sum(offsets.values()) for offsets in reached]

    def has_caught_up() -> bool:
        return follows() and read()[-1] == sum(log.ends().values())

    try:
        wait_for("the query", has_caught_up)
    finally:
        live.stop(patience=20)
    sizes = [after - before for before, after in pairwise(read())]
    assert max(sizes) <= MOST + len(log.ends())  # a share of each partition, rounded
    assert len(sizes) >= 6000 // MOST
    assert_up_to_date(lake, log, view)
