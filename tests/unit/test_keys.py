from __future__ import annotations

import pytest

from headwater.errors import Refusal
from headwater.keys import read_key, write_key

COLUMNS = {"minute_at": "TIMESTAMP", "page": "STRING"}
READ = {"minute_at": "2026-11-17T10:05:00+00:00", "page": "/cart"}


@pytest.mark.parametrize(
    "words",
    [
        ["minute_at=2026-11-17T10:05:00Z page=/cart"],
        ["minute_at=2026-11-17T10:05:00Z", "page=/cart"],
        ["page=/cart", "minute_at=2026-11-17T11:05:00+01:00"],
    ],
)
def test_key_is_read_from_one_word_or_several_in_any_order(words: list[str]) -> None:
    assert read_key(words, COLUMNS) == READ


def test_value_may_have_spaces_and_equals_signs_in_it() -> None:
    row = read_key(["page=/search?q=red shoes&size= 40", "minute_at=2026-11-17T10:05:00Z"], COLUMNS)
    assert row["page"] == "/search?q=red shoes&size= 40"
    assert read_key([write_key(row)], COLUMNS) == row


@pytest.mark.parametrize(
    "text",
    [
        "",
        "page=/cart",
        "minute_at=2026-11-17T10:05:00Z",
        "x page=/cart minute_at=2026-11-17T10:05:00Z",
        "user=1 page=/cart minute_at=2026-11-17T10:05:00Z",
        "page=/cart page=/home minute_at=2026-11-17T10:05:00Z",
        "page=/cart minute_at=2026-11-17T10:05:00",
        "page=/cart minute_at=noon",
    ],
)
def test_what_is_no_key_is_refused_with_the_names_of_the_columns(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_key([text], COLUMNS)
    assert "minute_at, page" in refused.value.detail
    assert "minute_at=2026-11-17T10:05:00Z page=" in refused.value.hint


@pytest.mark.parametrize(("value", "read"), [("7", "7"), ("-7", "-7"), ("007", "7")])
def test_whole_numbers_are_read(value: str, read: str) -> None:
    assert read_key([f"version={value}"], {"version": "BIGINT"}) == {"version": read}


@pytest.mark.parametrize("value", ["", "1.5", "1e9", "٣", "9" * 30, "--1"])
def test_what_is_no_whole_number_is_refused(value: str) -> None:
    with pytest.raises(Refusal, match="is no key"):
        read_key([f"version={value}"], {"version": "BIGINT"})
