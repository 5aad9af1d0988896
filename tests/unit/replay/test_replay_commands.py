"""What `headwater replay start` and `prove` say at their end: what comes next, or what failed."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from headwater import jobs, replay
from headwater.cli import main
from headwater.replay.lifecycle import Replay
from headwater.replay.progress import Progress
from headwater.replay.proof import CheckResult, Conservation, Proof
from headwater.settings import Settings

VIEW, QUERY = "page_views_per_minute", "page_views_per_minute.v2"
NOW = datetime(2026, 11, 16, 8, tzinfo=UTC)
PROMOTE, REJECT = f"headwater replay promote {VIEW}", f"headwater replay reject {VIEW}"


@dataclass
class FakeReplay:
    """A platform with one open replay of a view, and the proof that its job will make."""

    proof: Proof | None
    proved: bool = field(default=False)

    def begin(self, *_: object, **__: object) -> Replay:
        return self.replay_in({})

    def replay_in(self, _: dict[str, Any]) -> Replay:
        return Replay(
            key="command-1",
            kind="rebuild",
            view=VIEW,
            query=QUERY,
            state="open",
            opened_at=NOW,
            prove_job=["prove", VIEW, "v2"],
            commit_job=[],
        )

    def status(self, *_: object) -> list[dict[str, Any]]:
        return [{"state": "open"}]

    def progress(self, *_: object) -> Progress:
        return Progress(query=QUERY, phase="live", events_left=0, events_per_second=None, caught_up=True)

    def run(self, _: object, *arguments: str) -> None:
        self.proved = arguments == ("prove", VIEW, "v2")

    def proof_of(self, *_: object) -> Proof | None:
        return self.proof if self.proved else None


def proof(*, holds: bool) -> Proof:
    found = CheckResult(
        expectation="expect_rows",
        arguments={},
        severity="fail",
        success=holds,
        unexpected=None if holds else 3,
    )
    nothing_lost = Conservation(batches=1, partitions=())
    return Proof(
        view=VIEW,
        candidate="v2",
        made_at=NOW,
        checks=(found,),
        difference=None,
        conservation=nothing_lost,
    )


@pytest.fixture(params=["start", "prove"])
def command(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["headwater", "replay", request.param, VIEW])


def answer(
    platform: FakeReplay, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    """Return how the command ends before such a platform, what it says, and what it complains of."""
    monkeypatch.setattr(Settings, "load", lambda: None)
    monkeypatch.setattr(jobs, "run", platform.run)
    for name in ("begin", "status", "replay_in", "progress", "proof_of"):
        monkeypatch.setattr(replay, name, getattr(platform, name))
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    return ended.value.code, " ".join(said.out.split()), " ".join(said.err.split())  # type: ignore[return-value]


@pytest.mark.usefixtures("command")
def test_proof_that_holds_is_followed_by_what_comes_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said, complaint = answer(FakeReplay(proof(holds=True)), monkeypatch, capsys)
    assert (code, complaint) == (0, "")
    assert said.endswith(f"next: `{PROMOTE}`, or `{REJECT}`")


@pytest.mark.usefixtures("command")
def test_proof_that_does_not_hold_is_a_failure_that_says_what_failed_and_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said, complaint = answer(FakeReplay(proof(holds=False)), monkeypatch, capsys)
    assert code == 1
    assert "The proof does not hold" in said
    assert PROMOTE not in said + complaint
    assert complaint.startswith(f"the proof of {QUERY} does not hold Expectation expect_rows() does not hold")
    assert "Nothing has changed for readers" in complaint
    assert REJECT in complaint


@pytest.mark.usefixtures("command")
def test_proof_that_is_missing_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said, complaint = answer(FakeReplay(None), monkeypatch, capsys)
    assert code == 1
    assert PROMOTE not in said + complaint
    assert f"{QUERY} has no proof" in complaint
