"""What the batch layer has done, and what it serves: kept in the registry, told in Markdown."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from psycopg.types.json import Jsonb

from headwater.batch_layer import days
from headwater.errors import Refusal
from headwater.registry import connect, releases
from headwater.replay.proof import difference_section
from headwater.serving import DAY, in_stretches

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from headwater.batch_layer.days import HeldDay
    from headwater.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one day of one view, or of the view as a whole."""

    view: str
    day: str = ""  # as people write it
    done: str
    failed: bool = False


def keep_run(settings: Settings, began_at: datetime, outcomes: Iterable[Outcome]) -> None:
    """Enter a run into the registry."""
    with connect(settings) as registry:
        registry.execute(
            "INSERT INTO batch_runs (began_at, outcomes) VALUES (%s, %s)",
            [began_at, Jsonb([asdict(outcome) for outcome in outcomes])],
        )


def latest(settings: Settings) -> tuple[list[Outcome], str]:
    """Return what came of the latest run, and the same in Markdown, with the rows that differ."""
    with connect(settings) as registry:
        run = registry.execute("SELECT * FROM batch_runs ORDER BY id DESC LIMIT 1").fetchone()
        if run is None:
            raise Refusal("the batch layer has not run yet", hint="Run it: `headwater batch run`.")
        outcomes = [Outcome(**outcome) for outcome in run["outcomes"]]
        looked_at = {(outcome.view, outcome.day) for outcome in outcomes}
        differing = [
            (live["view"], day)
            for live in releases.live_versions(registry)
            for day in days.held(registry, live["query"]).values()
            if day.difference.share and (live["view"], str(day.day)) in looked_at
        ]
    return outcomes, _markdown(outcomes, differing)


def refuse_what_failed(outcomes: Sequence[Outcome]) -> None:
    """Refuse a run in which something was refused or failed; the rest of it is done all the same."""
    if failed := [outcome for outcome in outcomes if outcome.failed]:
        raise Refusal(
            f"{len(failed)} of {len(outcomes)} days could not be computed",
            detail="\n".join(f"{outcome.view} {outcome.day}: {outcome.done}" for outcome in failed),
            hint="The others are done. See docs/batch-layer.md.",
        )


def status(settings: Settings, view: str | None = None) -> list[dict[str, Any]]:
    """Return, for each live view or for one, which days come from the batch layer, and which differ."""
    with connect(settings) as registry:
        live = [one for one in releases.live_versions(registry) if view in (None, one["view"])]
        return [_status(one, days.held(registry, one["query"]).values()) for one in live]


def _status(live: Mapping[str, Any], held: Collection[HeldDay]) -> dict[str, Any]:
    return {
        "view": live["view"],
        "version": live["label"],
        "days": _stretches(day for day in held if day.served),
        "rows": sum(day.rows for day in held if day.served),
        "differ": _stretches(day for day in held if day.differs),
        "withdrawn": _stretches(day for day in held if not day.served),
        "computed_at": max((day.computed_at for day in held), default=None),
    }


def _stretches(held: Iterable[HeldDay]) -> str:
    stretches = in_stretches(day.day for day in held)
    return ", ".join(
        str(first) if after - first == DAY else f"{first} to {after - DAY}" for first, after in stretches
    )


def _markdown(outcomes: Sequence[Outcome], differing: Iterable[tuple[str, HeldDay]]) -> str:
    """Tell a run: a line for each day of each view, then the rows that differ."""
    if not outcomes:
        return "**There was nothing to do.**"
    head = ["| view | day | |", "|---|---|---|"]
    lines = [f"| {one.view} | {one.day} | {_done(one)} |" for one in outcomes]
    sections = [
        f"### {view}, {day.day}\n\n{difference_section(day.difference, 'batch')}" for view, day in differing
    ]
    return "\n\n".join(["\n".join([*head, *lines]), *sections])


def _done(outcome: Outcome) -> str:
    return f"**not done**: {outcome.done}" if outcome.failed else outcome.done
