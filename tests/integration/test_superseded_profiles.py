"""A table whose topic was compacted, and views that need its past: what was superseded is in the cold log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import pytest
from kafka.admin import ConfigResource
from pyspark.sql import functions as F

from headwater.brokers import admin_client
from headwater.replay.request import EARLIEST
from headwater.replay.starting import offsets_of, resolve, stitches_of
from headwater.shop import Simulation
from headwater.topics.reading import read_whole
from spark_apps import catalog, seam
from spark_apps.jobs import Start, view_job
from tests.compacting import IN_A_HURRY
from tests.streams import archive, new_log, oracle, own_cold_log, rows_of, run
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, Row, SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View
    from tests.streams import Log

NOW = datetime.now(UTC).replace(microsecond=0)
THEN, LATER = NOW - timedelta(hours=3), NOW - timedelta(hours=1)
PEOPLE = 10


class Forgetful(NamedTuple):
    """A log of which Kafka tells only what is so now, and the rows of a view as they were."""

    log: Log
    view: View
    rows: set[Row]


def life(start: datetime, seed: int) -> Simulation:
    return Simulation(seed=seed, rate=0.2, users=PEOPLE, start=start, count=400)


def before(rows: DataFrame, view: View) -> set[Row]:
    return set(rows.where(F.col(view.time) < F.lit(LATER)).collect())


@pytest.fixture(scope="module")
def forgetful(lake: SparkSession, instance: Settings) -> Iterator[Forgetful]:
    """Let people change while pages are viewed, archive it, and let the cleaner forget what they were."""
    log = new_log(instance, "page_views", "user_changelog")
    view, people = log.view(catalog.view("enriched_page_views")), log.topics["user_changelog"].name
    with own_cold_log(log), admin_client(instance, "admin") as admin:
        log.load(life(THEN, seed=1))
        archive(lake, log)
        archived, rows = log.ends(people), before(oracle(lake, log, view), view)

        def told() -> int:
            records = read_whole(instance, people)
            return sum(record.offset < archived[record.partition] for record in records)

        at_first, seeds = told(), count(2)
        admin.alter_configs([ConfigResource("topic", people, IN_A_HURRY)])

        def forgotten() -> bool:
            log.load(life(LATER, seed=next(seeds)))
            return told() < at_first / 2

        wait_for("the cleaner", forgotten)
        yield Forgetful(log, view, rows)


def from_the_beginning(log: Log, view: View) -> Start:
    with admin_client(log.settings, "apps") as client:
        events = resolve(log.settings, client, view.inputs, EARLIEST)
        changes = resolve(log.settings, client, view.tables, EARLIEST, superseded=True)
    held = [*events, *changes]
    return Start(offsets=offsets_of(held), stitches=stitches_of(held), seam=None)


def test_kafka_alone_no_longer_knows_how_it_was(lake: SparkSession, forgetful: Forgetful) -> None:
    log, view, rows = forgetful
    assert before(oracle(lake, log, view), view) != rows


def test_stream_gives_the_rows_as_they_were(lake: SparkSession, forgetful: Forgetful) -> None:
    log, view, rows = forgetful
    partitions = {name: sorted(log.ends(name)) for name in view.reads}
    start = from_the_beginning(log, view)
    assert start.stitches.keys() == set(view.tables), "page views are all in Kafka"
    run(lake, view_job(lake, log.settings, view, log.by_name(), partitions, start))
    assert before(rows_of(lake, view), view) == rows


def test_batch_engine_gives_the_rows_as_they_were(lake: SparkSession, forgetful: Forgetful) -> None:
    log, view, rows = forgetful
    start, until = from_the_beginning(log, view), seam.ends(log.settings, view)
    found = seam.rows_of(lake, log.settings, view, log.by_name(), start, until)
    assert before(found, view) == rows
