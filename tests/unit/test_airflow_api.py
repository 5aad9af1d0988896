from __future__ import annotations

from headwater.airflow_api import CONTINUED, LONGEST_NOTE, shortened


def test_note_that_fits_is_left_alone() -> None:
    assert shortened("x" * LONGEST_NOTE) == "x" * LONGEST_NOTE


def test_long_note_ends_with_a_whole_line_and_says_where_the_rest_is() -> None:
    line = "| some | row |\n"
    short = shortened(line * 100)
    assert len(short) <= LONGEST_NOTE
    assert short.endswith(CONTINUED)
    assert set(short.removesuffix(CONTINUED).splitlines()) == {line.strip()}


def test_long_note_of_a_single_line_is_cut_within_it() -> None:
    assert shortened("x" * 5000) == "x" * (LONGEST_NOTE - len(CONTINUED)) + CONTINUED
