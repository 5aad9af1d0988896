"""What views must hold, found out without Spark and without any code of the pipeline.

A plain consumer copies the records into files, and DuckDB applies the rules (see `rules.py`). A number that
belongs to wrong rows is no number.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.reading import places, read
from benchmarks.rules import RULES, events

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from kafka import TopicPartition
    from kafka.consumer.fetcher import ConsumerRecord

    from tests.streams import Log

MEMORY = "3GB"
COPIED = pa.schema(
    [
        ("topic", pa.string()),
        ("part", pa.int32()),
        ("place", pa.int64()),
        ("received", pa.int64()),
        ("value", pa.string()),
    ]
)


@dataclass(slots=True)
class Truth:
    """The rows that views of a log must hold."""

    log: Log
    folder: Path
    copied: dict[TopicPartition, int] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)  # views whose rows have been found out

    def follow(self) -> None:
        """Copy what the log holds by now, beyond what was copied before."""
        end = places(self.log)
        start = {place: self.copied.get(place, 0) for place in end}
        self.copy(read(self.log.settings, start, end), name=f"from-{sum(start.values())}")
        self.copied = end

    def copy(self, coming: Iterable[list[ConsumerRecord]], name: str) -> None:
        """Copy records into a file; what was found out before is no longer true."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(self.folder / f"{name}.parquet", COPIED) as file:
            for records in coming:
                file.write_table(_table(records))
        self.known.clear()

    def closed_until(self, view: str, time: str) -> datetime:
        """Return up to when all rows of a view are due, by their `time`."""
        self._find(view)
        open_since = f"SELECT min({time}) FROM rows_of_{view} WHERE NOT due"
        with self._database() as database:
            moment = _number(
                database, f"SELECT coalesce(({open_since}), (SELECT reached FROM reached_by_{view}))"
            )
        return datetime.fromtimestamp(moment / 1000, UTC)

    def differences(self, view: str, found: Path) -> str:
        """Compare the rows that were found with those that must be there; empty if they are the same."""
        self._find(view)
        rows = f"read_parquet('{found}/*.parquet')"
        expected = f"SELECT * EXCLUDE (due) FROM rows_of_{view}"
        with self._database() as database:
            right = _number(database, f"SELECT count(*) FROM rows_of_{view} WHERE due")
            wrong = _number(database, f"SELECT count(*) FROM (FROM {rows} EXCEPT ALL {expected})")
            missing = _number(database, f"SELECT count(*) FROM ({expected} WHERE due EXCEPT ALL FROM {rows})")
        if not right:
            return "there is nothing to compare with"
        return f"{wrong:,} rows are wrong, {missing:,} of {right:,} are missing" if wrong or missing else ""

    def _find(self, view: str) -> None:
        """Find out what rows a view must hold, unless that is known."""
        if view in self.known:
            return
        with self._database() as database:
            for statement in self._statements(view):
                database.execute(statement)
        self.known.add(view)

    def _statements(self, view: str) -> Iterator[str]:
        rules, records = RULES[view], f"read_parquet('{self.folder}/*.parquet')"
        for name in rules.topics:
            yield events(records, name, self.log.topics[name].name, keeps_late=rules.keeps_late)
        newest = " UNION ALL ".join(f"SELECT max(event_time) AS newest FROM {name}" for name in rules.topics)
        reached = f"SELECT max(newest) - {rules.waits} AS reached FROM ({newest})"
        yield f"CREATE OR REPLACE TABLE reached_by_{view} AS {reached}"
        yield f"CREATE OR REPLACE VIEW reached AS FROM reached_by_{view}"
        yield f"CREATE OR REPLACE TABLE rows_of_{view} AS {rules.rows}"
        for name in rules.topics:
            yield f"DROP TABLE {name}"

    @contextmanager
    def _database(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with duckdb.connect(self.folder / "truth.duckdb", config={"memory_limit": MEMORY}) as database:
            yield database


def _table(records: list[ConsumerRecord]) -> pa.Table:
    columns = [
        [record.topic for record in records],
        [record.partition for record in records],
        [record.offset for record in records],
        [record.timestamp for record in records],
        [_text(record.value) for record in records],
    ]
    arrays = [pa.array(values, kind) for values, kind in zip(columns, COPIED.types, strict=True)]
    return pa.Table.from_arrays(arrays, schema=COPIED)


def _text(value: bytes | None) -> str | None:
    """Return a value as text; what is none is no event, either."""
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return None


def _number(database: duckdb.DuckDBPyConnection, question: str) -> int:
    answer = database.execute(question).fetchone()
    return int(answer[0]) if answer else 0
