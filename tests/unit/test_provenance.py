from __future__ import annotations

from typing import Any

import pytest

from headwater.printable import printable
from headwater.provenance import MOST_LISTED, Behind, Provenance


def behind(offset: int = 0, role: Any = "used", **changes: Any) -> Behind:
    given = {"topic": "page_views", "partition": 0, "received_at": "10:05", "event_time": "10:04"}
    return Behind(**given | {"offset": offset, "role": role} | changes)


def found(**changes: Any) -> Provenance:
    given: dict[str, Any] = {
        "view": "orders",
        "label": "v1",
        "key": {"page": "/cart"},
        "served": {"page": "/cart", "views": "2"},
        "made": {"page": "/cart", "views": "2"},
        "behind": [behind(0), behind(1)],
        "looked_at": 5,
        "proved": True,
        "minimal": True,
    }
    return Provenance(**given | changes)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "2 records alone give exactly this row, and each of them is needed. 3 others were looked at"),
        ({"looked_at": 2}, "each of them is needed."),
        ({"minimal": False}, "whether all are needed was not tried"),
        ({"proved": False, "made": {"page": "/cart", "views": "1"}}, "give something else: views=1"),
        ({"proved": False, "made": None}, "give something else: no row"),
        ({"served": None}, "no such row is served"),
        ({"served": None, "made": None}, "no record that was read gives one"),
    ],
)
def test_what_was_found_is_told_in_words(changes: dict[str, Any], sentence: str) -> None:
    assert sentence in "\n".join(found(**changes).sentences())


def test_table_and_payloads_are_bounded_and_the_rest_is_counted() -> None:
    many = found(behind=[behind(number, payload="{}") for number in range(MOST_LISTED + 7)])
    assert len([*many.table()]) == len([*many.payloads()]) == MOST_LISTED
    assert many.rest() == "… and 7 more"
    assert found().rest() == ""


def test_farewell_has_no_value() -> None:
    assert [*found(behind=[behind()]).payloads()] == ["page_views:0:0 no value: a farewell"]


@pytest.mark.parametrize("text", ["\x1b[2J", "a\nb", "\u202egnp.exe", "\udcff", "\0"])
def test_what_a_terminal_would_obey_is_spelled_out(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert "\\" in shown


def test_words_of_all_languages_stay_as_they_are() -> None:
    assert printable("für 5 € – ok") == "für 5 € – ok"
    assert printable("x" * 10, most=3) == "xxx…"
