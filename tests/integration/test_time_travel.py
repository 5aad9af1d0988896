"""A view as it was: at every offset that a batch has reached, it is what the log up to there gives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from headwater import lake as lakes
from headwater.errors import Refusal
from headwater.shop import Simulation
from headwater.time_travel import Moment, Place, at_offset, at_time, moments
from spark_apps import catalog, pipeline
from spark_apps.kafka_log import read_range
from tests.streams import Log, job_of, new_log, run

if TYPE_CHECKING:
    from pyiceberg.table import Table
    from pyspark.sql import SparkSession

    from headwater.settings import Settings
    from spark_apps.view import View

START = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=2)


@pytest.fixture(scope="module")
def log(instance: Settings) -> Log:
    return new_log(instance)


@pytest.fixture(scope="module")
def view(lake: SparkSession, log: Log) -> View:
    """Return a version that has read the log in three batches."""
    own = log.view(catalog.view("page_views_per_minute"))
    simulation = Simulation(seed=5, rate=2, start=START, count=900, repeated=0.05, late=0.05)
    for _ in log.slices(simulation, 300, 300, 300):
        run(lake, job_of(lake, log, own))
    return own


@pytest.fixture(scope="module")
def table(instance: Settings, view: View) -> Table:
    return lakes.catalog(instance).load_table(view.table)


def rows(table: Table, moment: Moment) -> set[tuple[object, ...]]:
    found = table.scan(snapshot_id=moment.snapshot, selected_fields=("page", "views", "revision")).to_arrow()
    return {tuple(row.values()) for row in found.to_pylist()}


def expected(lake: SparkSession, log: Log, view: View, moment: Moment) -> set[tuple[object, ...]]:
    end = {int(partition): offset for partition, offset in moment.offsets[log.topic.name].items()}
    records = read_range(lake, log.settings, log.topic.name, dict.fromkeys(end, 0), end)
    found = pipeline.batch_rows(view, {log.topic.name: records}, log.by_name())
    return {tuple(row) for row in found.select("page", "views", "revision").collect()}


def test_view_at_an_offset_is_what_the_log_up_to_there_gives(
    lake: SparkSession, log: Log, view: View, table: Table
) -> None:
    history = [moment for moment in moments(table) if sum(moment.offsets[log.topic.name].values())]
    assert len(history) == 3
    for moment in history:
        partition, reached = next(iter(moment.offsets[log.topic.name].items()))
        place = Place(topic=log.topic.name, partition=int(partition), offset=reached)
        assert at_offset(history, place) == moment
        assert rows(table, moment) == expected(lake, log, view, moment)
    assert rows(table, history[0]) != rows(table, history[-1])


def test_view_at_a_time_is_the_snapshot_of_that_time(table: Table) -> None:
    history = moments(table)
    for moment in history:
        assert at_time(history, moment.committed_at + timedelta(microseconds=1)) == moment
    with pytest.raises(Refusal, match="nothing is known"):
        at_time(history, START)
