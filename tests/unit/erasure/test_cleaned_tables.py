"""Words are removed from a table, its history and the disk; its newest batch is still known by its name."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform
from pyiceberg.types import BinaryType, IntegerType, LongType, NestedField, StringType, TimestamptzType

from headwater.erasure.scanning import scan
from headwater.erasure.tables import clean_table

if TYPE_CHECKING:
    from pathlib import Path

    from pyiceberg.table import Table

COLD, LATE = "cold.log", "late.orders__v1__page_views"
WORDS = (b"Quill Marigold",)
PLACE = (
    NestedField(1, "partition", IntegerType()),
    NestedField(2, "offset", LongType()),
    NestedField(3, "received_at", TimestamptzType()),
)
SCHEMAS = {
    COLD: Schema(*PLACE, NestedField(4, "topic", StringType()), NestedField(5, "value", BinaryType())),
    LATE: Schema(*PLACE, NestedField(4, "page", StringType())),
}
BY_DAY = PartitionSpec(
    PartitionField(source_id=3, field_id=1000, transform=DayTransform(), name="received_at_day")
)


@pytest.fixture
def lake(tmp_path: Path) -> SqlCatalog:
    catalog = SqlCatalog("lake", uri="sqlite://", warehouse=f"file://{tmp_path}")
    for name, schema in SCHEMAS.items():
        catalog.create_namespace(name.partition(".")[0])
        catalog.create_table(name, schema, partition_spec=BY_DAY)
    return catalog


def append(table: Table, batch: int, *rows: dict[str, object]) -> None:
    places = [
        {"partition": 0, "offset": 10 * batch + place, "received_at": datetime.now(UTC), **row}
        for place, row in enumerate(rows)
    ]
    properties = {"headwater.query": "q", "headwater.batch": str(batch)}
    found = pa.Table.from_pylist(places, schema=table.schema().as_arrow())
    table.append(found, snapshot_properties=properties)


def record(value: bytes, topic: str = "page_views") -> dict[str, object]:
    return {"topic": topic, "value": value}


def column(table: Table, name: str) -> Counter[object]:
    return Counter(table.refresh().scan().to_arrow()[name].to_pylist())


def test_records_lose_their_values_in_the_present_the_past_and_on_the_disk(
    lake: SqlCatalog, tmp_path: Path
) -> None:
    table = lake.load_table(COLD)
    append(table, 0, record(b"Quill Marigold is broken"), record(b"somebody else"))  # manifests tell bounds
    append(table, 1, record(b"broken too"))
    append(table, 0, record(b"at the same place", topic="clicks"))
    append(table, 2, record(b"the last"))
    assert not scan(tmp_path, WORDS).clean
    assert clean_table(lake, COLD, WORDS) == 1
    kept = {None: 1, b"somebody else": 1, b"broken too": 1, b"at the same place": 1, b"the last": 1}
    assert column(table, "value") == kept
    assert scan(tmp_path, WORDS).clean
    (only,) = table.snapshots()
    assert only.summary
    assert only.summary["headwater.query"] == "q"
    assert only.summary["headwater.batch"] == "2"


def test_late_events_go_as_a_whole(lake: SqlCatalog, tmp_path: Path) -> None:
    table = lake.load_table(LATE)
    append(table, 0, {"page": "/people/Quill Marigold"}, {"page": "/tents"})
    assert clean_table(lake, LATE, WORDS) == 1
    assert column(table, "page") == {"/tents": 1}
    assert scan(tmp_path, WORDS).clean


def test_words_that_only_the_past_has_are_gone_too(lake: SqlCatalog, tmp_path: Path) -> None:
    table = lake.load_table(COLD)
    append(table, 0, record(b"broken: Quill Marigold"), record(b"somebody else"))
    table.delete("offset = 0")  # as a clean-up that died before it let the past go
    append(table, 1, record(b"broken too"))
    assert clean_table(lake, COLD, WORDS) == 0
    assert scan(tmp_path, WORDS).clean
    assert column(table, "value") == {b"somebody else": 1, b"broken too": 1}


@pytest.mark.parametrize("removed", [1, 2, 3, 4, 5])
def test_clean_up_that_died_while_it_removed_files_is_finished(
    lake: SqlCatalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, removed: int
) -> None:
    table = lake.load_table(COLD)
    append(table, 0, record(b"Quill Marigold is broken"), record(b"somebody else"))
    append(table, 1, record(b"broken too"))
    delete, left = PyArrowFileIO.delete, iter(range(removed))

    def dies(files: PyArrowFileIO, place: str) -> None:
        if next(left, None) is None:
            raise InterruptedError
        delete(files, place)

    with monkeypatch.context() as patch:
        patch.setattr(PyArrowFileIO, "delete", dies)
        with pytest.raises(InterruptedError):
            clean_table(lake, COLD, WORDS)
    clean_table(lake, COLD, WORDS)
    assert scan(tmp_path, WORDS).clean
    assert column(table, "value") == {None: 1, b"somebody else": 1, b"broken too": 1}
    assert len(table.snapshots()) == 1


def test_table_without_such_words_keeps_its_past(lake: SqlCatalog) -> None:
    table = lake.load_table(COLD)
    append(table, 0, record(b"somebody else"))
    append(table, 1, record(b"broken too"))
    assert clean_table(lake, COLD, WORDS) == 0
    assert len(table.refresh().snapshots()) == 2
