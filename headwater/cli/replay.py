"""Commands for replays: the same functions that the DAGs call."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markdown import Markdown

from headwater.cli.printing import console, print_table, say
from headwater.errors import Refusal
from headwater.forms import Label, Line, checked
from headwater.forms import View as KnownView
from headwater.settings import Settings

if TYPE_CHECKING:
    from headwater.replay import Replay, ReplayRequest

commands = typer.Typer(
    no_args_is_help=True, help="Replays: build a new version of a view from the log, prove it, promote it."
)
moves = typer.Typer()
known_view = checked("view", KnownView)
View = Annotated[str, typer.Argument(parser=known_view, help="A view, e.g. page_views_per_minute.")]
AnyView = Annotated[
    str | None, typer.Argument(parser=known_view, help="A view; all of them if none is named.")
]
Start = Annotated[
    str, typer.Option(help='"earliest", a time with its zone, or offsets such as \'{"0": 1200, "1": 0}\'.')
]
Code = Annotated[str, typer.Option("--artifact", help='"current", or the hash of an earlier artifact.')]
Kind = Annotated[str, typer.Option(help='"rebuild", or "backfill" of what lies between start and end.')]
Until = Annotated[str | None, typer.Option(help="The end of a backfill: of the same kind as its start.")]
Lateness = Annotated[
    int | None, typer.Option(help="Minutes: how late events may be that a backfill lets in.")
]
By = Annotated[str, typer.Option(parser=checked("by", Line), help="Who says so, for the record.")]


COLUMNS = ("query", "kind", "state", "opened_at", "closed_at", "because")


@commands.command("plan")
def plan_replay(
    view: View,
    start: Start = "earliest",
    artifact: Code = "current",
    kind: Kind = "rebuild",
    until: Until = None,
    lateness: Lateness = None,
) -> None:
    """Say what a replay would read and make, and whether it may; change nothing."""
    from headwater import replay

    request = _request(view, start, artifact, kind, until, lateness)
    console.print(Markdown(replay.plan(Settings.load(), request).markdown()))


@commands.command("start")
def start_replay(
    view: View,
    start: Start = "earliest",
    artifact: Code = "current",
    kind: Kind = "rebuild",
    until: Until = None,
    lateness: Lateness = None,
) -> None:
    """Build a candidate from the log, or compute the rows of a backfill, and prove it."""
    from headwater import replay

    request = _request(view, start, artifact, kind, until, lateness)
    settings = Settings.load()
    begun = replay.begin(settings, request, key=f"command-{uuid.uuid4().hex[:12]}")
    say(f"{begun.kind} of {begun.query}: {begun.key}")
    _wait_until_caught_up(settings, begun.key)
    _prove(settings, view)


@commands.command("prove")
def prove_replay(view: View) -> None:
    """Prove the open replay of a view once more, and show the proof."""
    _prove(Settings.load(), view)


@commands.command("status")
def show_replays(view: AnyView = None) -> None:
    """Show the replays there were, and how far the open ones have come."""
    from headwater import replay

    settings = Settings.load()
    found = replay.status(settings, view)
    print_table(
        ("version", "kind", "state", "opened", "closed", "because"),
        (tuple(row[name] for name in COLUMNS) for row in found),
    )
    for row in found:
        if row["state"] == "open":
            say(str(replay.progress(settings, row["key"])))


@commands.command("throttle")
def throttle_replay(
    view: View,
    cores: Annotated[
        int | None, typer.Option(min=0, max=1000, help="So many; 0 pauses it. All it was given if left out.")
    ] = None,
) -> None:
    """Say how many cores the candidate of a view may use from now on, while it runs."""
    from headwater import replay

    say(replay.throttle(Settings.load(), view, cores))


@commands.command("promote")
def promote_replay(view: View, by: By = "command line") -> None:
    """Let readers see what the open replay of a view has made; its proof must hold."""
    from headwater import jobs, replay

    settings = Settings.load()
    found = _open(settings, view)
    if found.commit_job:
        jobs.run(settings, *found.commit_job)
    say(replay.promote(settings, found.key, by))


@commands.command("reject")
def reject_replay(
    view: View,
    because: Annotated[
        str, typer.Option(parser=checked("because", Line), help="Why, for the record.")
    ] = "rejected by command",
) -> None:
    """Give a replay up: nothing changes, its candidate stops, its proof stays."""
    from headwater import replay

    settings = Settings.load()
    say(replay.reject(settings, _open(settings, view).key, because))


@moves.command("rollback")
def roll_back(
    view: View,
    version: Annotated[
        str | None,
        typer.Option(parser=checked("version", Label), help="A warm version, e.g. v1; by default the last."),
    ] = None,
    by: By = "command line",
) -> None:
    """Let readers see an earlier version that has stayed fresh."""
    from headwater import replay

    say(replay.rollback(Settings.load(), view, version, by))


@moves.command("release")
def release_versions(view: AnyView = None) -> None:
    """Let warm versions go, and fold promoted ones back into the apps of their groups."""
    from headwater import replay, supervision

    settings = Settings.load()
    for sentence in replay.release(settings, view) or ["nothing to release"]:
        say(sentence)
    for done in supervision.tick(settings):
        say(str(done))


def _request(
    view: str, start: str, artifact: str, kind: str, until: str | None, lateness: int | None
) -> ReplayRequest:
    from headwater.replay import ReplayRequest

    wish = {"view": view, "kind": kind, "start": start, "until": until, "lateness": lateness}
    return ReplayRequest.check(wish | {"artifact": artifact, "dry_run": False})


def _open(settings: Settings, view: str) -> Replay:
    from headwater import replay

    for row in replay.status(settings, view):
        if row["state"] == "open":
            return replay.replay_in(row)
    raise Refusal(f'no replay of view "{view}" is under way', hint="See `headwater replay status`.")


def _wait_until_caught_up(settings: Settings, key: str) -> None:
    from headwater import replay

    with console.status("starting") as line:
        while not (progress := replay.progress(settings, key)).caught_up:
            line.update(str(progress))
            time.sleep(2)
    say(str(progress))


def _prove(settings: Settings, view: str) -> None:
    from headwater import jobs, replay

    found = _open(settings, view)
    jobs.run(settings, *found.prove_job)
    proof = replay.proof_of(settings, found.key)
    if proof is None:
        raise Refusal(f"{found.query} has no proof", hint=f"Make it: `headwater replay prove {view}`.")
    console.print(Markdown(proof.markdown()))
    if not proof.holds:
        raise Refusal(
            f"the proof of {found.query} does not hold",
            detail=" ".join(proof.problems),
            hint="Nothing has changed for readers. Give this replay up "
            f"(`headwater replay reject {view}`), put right what is wrong and start again; or prove it once "
            f"more (`headwater replay prove {view}`).",
        )
    say(f"next: `headwater replay promote {view}`, or `headwater replay reject {view}`")
