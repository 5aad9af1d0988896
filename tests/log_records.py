"""Records as Kafka would give them, made by hand for tests."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.dataframes import dataframe

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
RECORD_SCHEMA = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP"


def at(minutes: float = 0, seconds: float = 0) -> datetime:
    """Return a moment around noon."""
    return NOON + timedelta(minutes=minutes, seconds=seconds)


def milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def page_view(**changes: Any) -> dict[str, Any]:
    """Return a good page view that occurred at noon and was sent a second later."""
    event = {
        "event_id": "e1",
        "user_id": "u1",
        "page": "/home",
        "occurred_at": milliseconds(NOON),
        "sent_at": milliseconds(at(seconds=1)),
    }
    return event | changes


def record(
    value: bytes | dict[str, Any] | None,
    *,
    key: bytes | None = b"u1",
    offset: int = 0,
    received: datetime = NOON,
    partition: int = 0,
) -> tuple[Any, ...]:
    """Return one record, of topic page_views unless its reader knows better."""
    raw = json.dumps(value).encode() if isinstance(value, dict) else value
    return (key, None if raw is None else bytearray(raw), "page_views", partition, offset, received)


def records(spark: SparkSession, rows: list[tuple[Any, ...]]) -> DataFrame:
    return dataframe(spark, rows, RECORD_SCHEMA)
