from __future__ import annotations

from datetime import timedelta

import pytest

from headwater.topics.quantities import read_duration, read_size


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("7 days", timedelta(days=7)),
        ("1 day", timedelta(days=1)),
        ("12 hours", timedelta(hours=12)),
        ("90 seconds", timedelta(seconds=90)),
        ("2 weeks", timedelta(weeks=2)),
        ("10minutes", timedelta(minutes=10)),
    ],
)
def test_durations_are_read_as_people_write_them(text: str, duration: timedelta) -> None:
    assert read_duration(text) == duration


@pytest.mark.parametrize(("text", "size"), [("256 kB", 256_000), ("1 MiB", 1_048_576), ("10 B", 10)])
def test_sizes_are_read_as_people_write_them(text: str, size: int) -> None:
    assert read_size(text) == size


@pytest.mark.parametrize(
    "text", ["", "days", "-1 days", "1.5 hours", "7", 7, None, "7 days ago", "٧ days", True]
)
def test_what_is_no_duration_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        read_duration(text)


@pytest.mark.parametrize("text", ["", "kB", "-1 kB", "0 kB", "256", 256, None, "256 kb"])
def test_what_is_no_size_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        read_size(text)
