from __future__ import annotations

from headwater.maintenance import Outcome, in_markdown

REWRITE = Outcome(
    subject="versions.orders__v1", step="rewrite", why="46 small files in 2 partitions of closed days"
)


def test_dry_run_is_told_as_what_would_be_done() -> None:
    assert in_markdown([REWRITE], dry_run=True).splitlines() == [
        "**This would be done:**",
        "",
        "| what | step | why | done |",
        "|---|---|---|---|",
        "| versions.orders__v1 | rewrite | 46 small files in 2 partitions of closed days |  |",
    ]


def test_run_is_told_with_what_it_has_freed_and_what_failed() -> None:
    expired = Outcome(subject="cold.log", step="expire", why="3 of 9", done="12 files removed", freed=2_000)
    failed = Outcome(subject="cold.log", step="sweep", why="2 files", done="no such place", failed=True)
    told = in_markdown([expired, failed], dry_run=False).splitlines()
    assert told[0] == "**2 steps, 2 kB freed**"
    assert told[-1] == "| cold.log | sweep | 2 files | **failed**: no such place |"


def test_nothing_to_do_is_said() -> None:
    assert in_markdown([], dry_run=False) == "**There was nothing to do.**"
