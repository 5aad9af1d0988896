from __future__ import annotations

from datetime import UTC, datetime

import pytest

from headwater.errors import Refusal
from headwater.verifying import read_slice


def test_slice_is_two_times_with_their_zones() -> None:
    assert read_slice("2026-11-16T10:00:00Z/2026-11-16T14:00:00+01:00") == (
        datetime(2026, 11, 16, 10, tzinfo=UTC),
        datetime(2026, 11, 16, 13, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "2026-11-16T10:00:00Z",
        "2026-11-16T10:00:00Z/",
        "2026-11-16T10:00:00/2026-11-16T12:00:00",
        "2026-11-16T12:00:00Z/2026-11-16T10:00:00Z",
        "2026-11-16T10:00:00Z/2026-11-16T10:00:00Z",
        "2026-11-16T10:00:00Z/2026-11-16T11:00:00Z/2026-11-16T12:00:00Z",
    ],
)
def test_what_is_no_slice_is_refused(text: str) -> None:
    with pytest.raises(Refusal, match="is no slice of time"):
        read_slice(text)
