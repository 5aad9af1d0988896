"""What maintenance has done, or would do: kept in the registry, told in Markdown."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from psycopg.types.json import Jsonb

from headwater.errors import Refusal
from headwater.registry import connect
from headwater.topics.quantities import write_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from headwater.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A step, and what came of it; nothing yet in a dry run."""

    subject: str  # a table, a version, an artifact
    step: str
    why: str
    done: str = ""
    failed: bool = False
    freed: int = 0  # bytes


def keep(settings: Settings, began_at: datetime, outcomes: Iterable[Outcome], *, dry_run: bool) -> None:
    """Enter a run into the registry."""
    with connect(settings) as registry:
        registry.execute(
            "INSERT INTO maintenance (began_at, dry_run, outcomes) VALUES (%s, %s, %s)",
            [began_at, dry_run, Jsonb([asdict(outcome) for outcome in outcomes])],
        )


def latest(settings: Settings) -> dict[str, Any]:
    """Return the latest run."""
    with connect(settings) as registry:
        row = registry.execute("SELECT * FROM maintenance ORDER BY id DESC LIMIT 1").fetchone()
    if row is None:
        raise Refusal("there was no maintenance yet", hint="Run it: `headwater maintain`.")
    return row | {"outcomes": [Outcome(**outcome) for outcome in row["outcomes"]]}


def in_markdown(outcomes: Sequence[Outcome], *, dry_run: bool) -> str:
    """Tell a run: a line for each step that had something to do."""
    if not outcomes:
        return "**There was nothing to do.**"
    freed = sum(outcome.freed for outcome in outcomes)
    title = "**This would be done:**" if dry_run else f"**{len(outcomes)} steps, {write_size(freed)} freed**"
    head = ["", "| what | step | why | done |", "|---|---|---|---|"]
    return "\n".join([title, *head, *(_line(outcome) for outcome in outcomes)])


def _line(outcome: Outcome) -> str:
    done = f"**failed**: {outcome.done}" if outcome.failed else outcome.done
    return f"| {outcome.subject} | {outcome.step} | {outcome.why} | {done} |"
