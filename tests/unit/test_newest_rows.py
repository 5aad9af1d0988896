"""What a person is shown first of a view: the newest, or, where rows belong to no time, the first by key."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa

from headwater import lake

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def test_rows_of_windows_are_shown_newest_first() -> None:
    minutes = [NOON + timedelta(minutes=number) for number in (1, 3, 2)]
    rows = pa.table({"minute_at": minutes, "page": ["/a", "/c", "/b"]})
    assert lake.newest(rows, 2)["page"].to_pylist() == ["/c", "/b"]


def test_rows_of_tables_are_shown_by_their_key() -> None:
    rows = pa.table({"order_id": ["o-2", "o-3", "o-1"], "ordered_at": [NOON] * 3})
    assert lake.newest(rows, 2)["order_id"].to_pylist() == ["o-1", "o-2"]
