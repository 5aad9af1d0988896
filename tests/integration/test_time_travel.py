"""A view as it was: at every offset that a batch has reached, it is what the log up to there gives."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from headwater import lake as lakes
from headwater.errors import Refusal
from headwater.shop import Simulation
from headwater.time_travel import Moment, Place, at_offset, at_time, moments
from spark_apps import catalog, pipeline, sinks
from spark_apps.kafka_log import read_range
from spark_apps.session import CATALOG
from tests.changes import OF_ORDERS, Changes
from tests.streams import Log, job_of, new_log, run
from tests.waiting import wait_for

if TYPE_CHECKING:
    import pyarrow as pa
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """A view of tables that readers see, and its two moments: before somebody moved, and after."""

    log: Log
    view: View
    before: Moment
    after: Moment

    @property
    def place(self) -> Place:
        """The first record of the first table that only the second moment has read."""
        topic = self.view.tables[0]
        for partition, reached in self.before.offsets[topic].items():
            if reached < self.after.offsets[topic][partition]:
                return Place(topic=topic, partition=int(partition), offset=reached)
        raise AssertionError("nothing was read in between")


@pytest.fixture(scope="module")
def orders(lake: SparkSession, instance: Settings) -> Orders:
    log = new_log(instance, *OF_ORDERS)
    view, changes = log.view(catalog.view("order_details")), Changes(log)
    for person in ("ada", "ben"):
        changes.person(person, "DE")
    for number in range(9):
        changes.order(number, "ada" if number % 2 else "ben", pieces=number + 1)
    changes.done()
    run(lake, job_of(lake, log, view))
    sinks.publish(lake, view)
    table = lakes.view_table(instance, view.name)
    # The command line takes times in whole seconds: let both moments have one of their own.
    wait_for("the next second", lambda: datetime.now(UTC) > next_second(moments(table)[-1]))
    changes.person("ada", "FR")
    changes.farewell("order_changelog", "order-004")
    changes.done()
    run(lake, job_of(lake, log, view))
    before, after = moments(table.refresh())
    return Orders(log=log, view=view, before=before, after=after)


def next_second(moment: Moment) -> datetime:
    return moment.committed_at.replace(microsecond=0) + timedelta(seconds=1)


def made(lake: SparkSession, orders: Orders, moment: Moment) -> list[tuple[object, ...]]:
    """Return what the log gives up to a moment, by key."""
    ends = {
        topic: {int(partition): offset for partition, offset in moment.offsets[topic].items()}
        for topic in orders.view.tables
    }
    records = {
        topic: read_range(lake, orders.log.settings, topic, dict.fromkeys(end, 0), end)
        for topic, end in ends.items()
    }
    found = pipeline.batch_rows(orders.view, records, orders.log.by_name())
    return [tuple(row) for row in found.drop("ordered_at").orderBy("order_id").collect()]


def listed(rows: pa.Table) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in rows.drop_columns(["ordered_at"]).to_pylist()]


def test_view_of_tables_at_an_offset_and_at_a_time_is_what_the_log_gives_up_to_there_by_key(
    lake: SparkSession, orders: Orders
) -> None:
    settings, name = orders.log.settings, orders.view.name
    before, after = (made(lake, orders, moment) for moment in (orders.before, orders.after))
    assert before != after
    assert len(before) == len(after) + 1
    assert listed(lakes.newest_rows(settings, name, 20)) == after
    assert listed(lakes.newest_rows(settings, name, 20, place=orders.place)) == before
    assert listed(lakes.newest_rows(settings, name, 20, at=next_second(orders.before))) == before
    assert listed(lakes.newest_rows(settings, name, 3, at=next_second(orders.after))) == after[:3]


def test_command_line_shows_a_view_of_tables_as_it_was(lake: SparkSession, orders: Orders) -> None:
    place, time = orders.place, next_second(orders.before)
    asked = (
        ("--offset", f"{place.topic}:{place.partition}:{place.offset}"),
        ("--at", time.isoformat()),
    )
    before = made(lake, orders, orders.before)
    for arguments in asked:
        assert shown(orders.view.name, *arguments) == countries(before)


def shown(view: str, *arguments: str) -> list[tuple[str, str]]:
    """Return what a person sees: each order, and the country of who ordered."""
    command = [sys.executable, "-m", "headwater.cli", "views", "show", view, *arguments]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    header, *lines = told.splitlines()
    place = header.index("country")
    return [(line.split()[0], line[place:].split()[0]) for line in lines]


def countries(rows: list[tuple[object, ...]]) -> list[tuple[str, str]]:
    return [(str(row[0]), str(row[3])) for row in rows]


def test_spark_finds_the_snapshot_of_an_offset_or_a_time_and_reads_it(
    lake: SparkSession, orders: Orders
) -> None:
    """The recipes of docs/time-travel.md."""
    table, place = f"{CATALOG}.{orders.view.table}", orders.place
    reached = f"get_json_object(summary['headwater.offsets'], '$.{place.topic}.{place.partition}')"
    (found,) = lake.sql(
        f"SELECT snapshot_id FROM {table}.snapshots WHERE CAST({reached} AS BIGINT) <= {place.offset} "
        "ORDER BY committed_at DESC LIMIT 1"
    ).collect()
    assert found["snapshot_id"] == orders.before.snapshot
    expected = made(lake, orders, orders.before)
    for then in (
        f"VERSION AS OF {found['snapshot_id']}",
        f"TIMESTAMP AS OF '{next_second(orders.before):%Y-%m-%d %H:%M:%S}'",
    ):
        rows = lake.sql(f"SELECT * FROM {table} {then}").drop("ordered_at").orderBy("order_id")
        assert [tuple(row) for row in rows.collect()] == expected
