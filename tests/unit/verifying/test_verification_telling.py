from __future__ import annotations

from headwater.replay.proof import DifferentRow
from headwater.verifying import Verification


def found(**changes: object) -> Verification:
    given: dict[str, object] = {"view": "orders", "label": "v1", "how": "Replayed.", "counts": {"equal": 3}}
    return Verification(**given | changes)  # type: ignore[arg-type]


def row(page: str) -> DifferentRow:
    return DifferentRow(keys={"page": page}, live={"page": page, "views": "2"}, candidate=None)


def test_equal_rows_are_said_to_be_what_the_log_gives() -> None:
    text = found().text()
    assert text.startswith('view "orders" serves what the log gives (v1)')
    assert "3 equal, 0 different" in text


def test_no_rows_are_no_proof() -> None:
    assert "no row to compare" in found(counts={}).text()


def test_rows_that_differ_are_shown_and_those_left_out_are_counted() -> None:
    counts = {"equal": 1, "only_live": 12}
    text = found(counts=counts, samples=tuple(row(f"/{number}") for number in range(12))).text()
    assert text.startswith('view "orders" serves other rows than the log gives')
    assert "page=/0: served views=2; replayed no row" in text
    assert "… and 2 more" in text
    assert "page=/10" not in text


def test_nothing_in_a_row_reaches_the_terminal_as_a_command() -> None:
    assert "\x1b" not in found(counts={"only_live": 1}, samples=(row("\x1b[2J"),)).text()
