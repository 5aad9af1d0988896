from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from headwater.airflow_api import CONTINUED, LONGEST_NOTE, Airflow, shortened
from tests.aws_environment import settings_of
from tests.hostile import HOSTILE


class Asked(Airflow):
    """An Airflow that only remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__(settings_of("none"))
        self.paths: list[str] = []

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        self.paths.append(path)
        return {}


@pytest.mark.parametrize("run", [*HOSTILE, "a/../../config", "a?b#c"])
def test_id_of_a_run_is_one_step_of_the_way_whatever_it_holds(run: str) -> None:
    asked = Asked()
    asked.note_on_run("replay", run, "Hm.")
    asked.note_on_task("replay", run, "plan", "Hm.")
    legible = run.encode(errors="replace").decode()
    for path, wanted in zip(asked.paths, ([], ["taskInstances", "plan"]), strict=True):
        assert path.isascii()
        assert urlsplit(path).path == path
        assert [unquote(step) for step in path.split("/")] == ["dags", "replay", "dagRuns", legible, *wanted]


def test_note_that_fits_is_left_alone() -> None:
    assert shortened("x" * LONGEST_NOTE) == "x" * LONGEST_NOTE


def test_long_note_ends_with_a_whole_line_and_says_where_the_rest_is() -> None:
    line = "| some | row |\n"
    short = shortened(line * 100)
    assert len(short) <= LONGEST_NOTE
    assert short.endswith(CONTINUED)
    assert set(short.removesuffix(CONTINUED).splitlines()) == {line.strip()}


def test_long_line_is_cut_within_it_where_the_note_would_be_lost_otherwise() -> None:
    refused = "**Refused.** " + "Offsets 0 to 99 of partition 7 of orders have expired. " * 40
    short = shortened(f"## Replay of `orders`\n\n{refused}")
    assert 900 < len(short) <= LONGEST_NOTE
    assert short.removesuffix(CONTINUED).split()[-1] in refused.split()


def test_long_note_of_a_single_line_is_cut_within_it() -> None:
    assert shortened("x" * 5000) == "x" * (LONGEST_NOTE - len(CONTINUED)) + CONTINUED
