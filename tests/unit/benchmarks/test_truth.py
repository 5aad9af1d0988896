"""A benchmark whose judge sees nothing would measure anything: every kind of wrong row must be found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from kafka.consumer.fetcher import ConsumerRecord

from benchmarks.truth import Truth
from headwater.topics import load_topics
from tests.log_records import at, milliseconds, page_view
from tests.streams import Log

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from headwater.settings import Settings

NOON = milliseconds(at())


def record(event: dict[str, Any] | bytes, offset: int, received: datetime) -> ConsumerRecord:
    empty = dict.fromkeys(ConsumerRecord._fields)
    value = json.dumps(event).encode() if isinstance(event, dict) else event
    told = {"topic": "page_views", "partition": 0, "offset": offset, "value": value}
    return ConsumerRecord(**(empty | told | {"timestamp": milliseconds(received)}))


def event(number: int, minutes: float, page: str = "/home") -> dict[str, Any]:
    occurred = milliseconds(at(minutes))
    return page_view(event_id=f"e{number}", page=page, occurred_at=occurred, sent_at=occurred)


@pytest.fixture
def truth(tmp_path: Path) -> Truth:
    """Return what is true of a plain event, one of the next minute, a repeat, a late one and a broken one."""
    settings: Settings = None  # type: ignore[assignment]  # nothing is read from Kafka here
    truth = Truth(log=Log(settings=settings, topics=load_topics()), folder=tmp_path / "truth")
    late = event(4, 0) | {"sent_at": milliseconds(at(30))}
    coming = [
        record(event(1, 0), 0, at(0)),
        record(event(2, 1, "/cart"), 1, at(1)),
        record(event(1, 0), 2, at(2)),
        record(late, 3, at(30)),
        record(b'{"event_id": "e5"', 4, at(30)),
        record(event(6, 60), 5, at(60)),
    ]
    truth.copy([coming[:2], coming[2:]], name="all")
    return truth


MINUTES = [(NOON, "/home", 2, 2), (NOON + 60_000, "/cart", 1, 1), (NOON + 3_600_000, "/home", 1, 1)]
SESSION = (NOON, NOON + 60_000, "u1", 2, 60.0, "/home", "/cart")  # the one an hour later is not yet over


def found(folder: Path, rows: list[tuple[Any, ...]]) -> Path:
    folder.mkdir()
    values = ", ".join(str(row) for row in rows)
    duckdb.sql(f"COPY (FROM (VALUES {values})) TO '{folder}/rows.parquet'")
    return folder


def test_right_rows_are_right(truth: Truth, tmp_path: Path) -> None:
    assert truth.differences("page_views_per_minute", found(tmp_path / "minutes", MINUTES)) == ""
    assert truth.differences("user_sessions", found(tmp_path / "sessions", [SESSION])) == ""


@pytest.mark.parametrize(
    "rows",
    [
        MINUTES[1:],
        [*MINUTES, MINUTES[0]],
        [(NOON, "/home", 3, 2), *MINUTES[1:]],  # the repeat was counted
        [(NOON, "/home", 1, 1), *MINUTES[1:]],  # the late one was not
    ],
    ids=["missing", "twice", "repeat counted", "late left out"],
)
def test_wrong_rows_are_found(truth: Truth, tmp_path: Path, rows: list[tuple[Any, ...]]) -> None:
    assert "wrong" in truth.differences("page_views_per_minute", found(tmp_path / "found", rows))


def test_log_without_a_row_that_is_due_proves_nothing(truth: Truth, tmp_path: Path) -> None:
    truth.copy([[record(event(1, 0), 0, at(0))]], name="all")
    rows = found(tmp_path / "found", [SESSION])
    assert truth.differences("user_sessions", rows) == "there is nothing to compare with"


def test_what_is_over_ends_where_the_first_open_session_begins(truth: Truth) -> None:
    assert truth.closed_until("user_sessions", "started_at") == at(60)
