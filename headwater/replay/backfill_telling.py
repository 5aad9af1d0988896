"""The plan of a backfill in words and tables, for the note of a task and for the terminal."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from headwater.replay.telling import reading

if TYPE_CHECKING:
    from headwater.replay.backfill_plan import BackfillPlan
    from headwater.replay.between import Between


def plan_in_markdown(plan: BackfillPlan, offsets: str) -> str:
    """Return the plan as Markdown: verdict first, then what follows from it, then what is read."""
    paragraphs = [
        f"## Backfill of `{plan.view}` {plan.live}: {_stretch(plan.between)}",
        _verdict(plan),
        _late_events(plan),
        _readers(plan),
        reading(plan, "of these windows, look-back included"),
        offsets,
    ]
    return "\n\n".join(paragraphs)


def _verdict(plan: BackfillPlan) -> str:
    if plan.refusals:
        return "**Refused.** " + " ".join(plan.refusals)
    days = "1 day" if plan.starts.days == 1 else f"{plan.starts.days:,} days"
    return (
        "**May run.** Computes again the windows that lie wholly inside: those that start from "
        f"{_stretch(plan.starts)}. Puts them into {plan.live} in one commit, which rewrites {days} of its "
        "table; all other rows stay as they are, and the live query goes on."
    )


def _late_events(plan: BackfillPlan) -> str:
    if plan.own_lateness is None:
        return f"Events that are more than {_minutes(plan.lateness)} late stay out, as always."
    if plan.admits:
        return (
            f"⚠ Admits events that are up to **{_minutes(plan.own_lateness)}** late, instead of "
            f"{_minutes(plan.lateness)}: rows will differ by exactly these events."
        )
    return (
        f"A lateness of {_minutes(plan.own_lateness)} changes nothing: the view leaves out no event that is "
        "as late as that, or hears of late ones anyway."
    )


def _readers(plan: BackfillPlan) -> str:
    if plan.publishes is None:
        return "No other view reads it, and it has no output topic."
    readers = ", ".join(f"`{name}`" for name in plan.dependants)
    heard = f"{readers} will not hear of what changes" if readers else "its readers will not hear of it"
    return f"⚠ A backfill says nothing on its output topic `{plan.publishes}`: {heard}."


def _stretch(between: Between) -> str:
    return f"{between.first:%Y-%m-%d %H:%M:%S} up to {between.after:%Y-%m-%d %H:%M:%S} UTC"


def _minutes(duration: timedelta) -> str:
    return f"{duration / timedelta(minutes=1):g} min"
