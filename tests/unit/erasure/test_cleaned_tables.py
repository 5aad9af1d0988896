"""Rows are removed from a table, its history and the disk; its newest batch is still known by its name."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform
from pyiceberg.types import BinaryType, IntegerType, LongType, NestedField, TimestamptzType

from headwater.erasure.scanning import scan
from headwater.erasure.tables import clean_table

if TYPE_CHECKING:
    from pathlib import Path

    from pyiceberg.table import Table

NAME = "quarantine.page_views"
WORDS = (b"Quill Marigold",)
SCHEMA = Schema(
    NestedField(1, "partition", IntegerType()),
    NestedField(2, "offset", LongType()),
    NestedField(3, "received_at", TimestamptzType()),
    NestedField(4, "value", BinaryType()),
)
BY_DAY = PartitionSpec(
    PartitionField(source_id=3, field_id=1000, transform=DayTransform(), name="received_at_day")
)


@pytest.fixture
def lake(tmp_path: Path) -> SqlCatalog:
    catalog = SqlCatalog("lake", uri="sqlite://", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("quarantine")
    catalog.create_table(NAME, SCHEMA, partition_spec=BY_DAY)
    return catalog


def append(table: Table, batch: int, *values: bytes) -> None:
    rows = [
        {"partition": 0, "offset": 10 * batch + place, "received_at": datetime.now(UTC), "value": value}
        for place, value in enumerate(values)
    ]
    properties = {"headwater.query": "q", "headwater.batch": str(batch)}
    table.append(pa.Table.from_pylist(rows, schema=table.schema().as_arrow()), snapshot_properties=properties)


def values_of(table: Table) -> set[bytes]:
    return set(table.refresh().scan().to_arrow()["value"].to_pylist())


def test_rows_are_gone_from_the_present_the_past_and_the_disk(lake: SqlCatalog, tmp_path: Path) -> None:
    table = lake.load_table(NAME)
    append(table, 0, b"broken: Quill Marigold", b"broken: somebody else")
    append(table, 1, b"broken too")
    assert not scan(tmp_path, WORDS).clean
    assert clean_table(lake, NAME, WORDS) == 1
    assert values_of(table) == {b"broken: somebody else", b"broken too"}
    assert scan(tmp_path, WORDS).clean
    (only,) = table.snapshots()
    assert only.summary
    assert only.summary["headwater.query"] == "q"
    assert only.summary["headwater.batch"] == "1"


def test_rows_that_only_the_past_has_are_gone_too(lake: SqlCatalog, tmp_path: Path) -> None:
    table = lake.load_table(NAME)
    append(table, 0, b"broken: Quill Marigold", b"broken: somebody else")
    table.delete("offset = 0")  # as a clean-up that died before it let the past go
    append(table, 1, b"broken too")
    assert clean_table(lake, NAME, WORDS) == 0
    assert scan(tmp_path, WORDS).clean
    assert values_of(table) == {b"broken: somebody else", b"broken too"}


def test_table_without_such_rows_keeps_its_past(lake: SqlCatalog) -> None:
    table = lake.load_table(NAME)
    append(table, 0, b"broken: somebody else")
    append(table, 1, b"broken too")
    assert clean_table(lake, NAME, WORDS) == 0
    assert len(table.refresh().snapshots()) == 2
