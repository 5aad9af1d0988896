"""A plan in words and tables, for the note of a task and for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.replay.form import AT_A_SEAM, IN_ONE_BATCH
from headwater.replay.request import EARLIEST
from headwater.topics.quantities import write_size

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

    from headwater.replay.backfill_plan import BackfillPlan
    from headwater.replay.form import Form
    from headwater.replay.planning import Plan
    from headwater.replay.starting import Stretch


def plan_in_markdown(plan: Plan, offsets: str) -> str:
    """Return the plan as Markdown: verdict first, then what follows from it, then what is read."""
    paragraphs = [
        f"## Replay of `{plan.view}`: {plan.live} → {plan.candidate}",
        _verdict(plan),
        *_consequences(plan),
        reading(plan, f"from {plan.start}"),
        _form(plan.form),
        offsets,
    ]
    return "\n\n".join(paragraphs)


def _verdict(plan: Plan) -> str:
    if plan.refusals:
        return "**Refused.** " + " ".join(plan.refusals)
    return (
        f"**May run.** Builds {plan.candidate} beside {plan.live}; readers see {plan.live} until "
        f"{plan.candidate} is proved and promoted, then {plan.candidate} in one step; {plan.live} stays warm."
    )


def reading(plan: Plan | BackfillPlan, whence: str) -> str:
    """Say how much is read, with which code, and how long that takes."""
    source = "measured in the latest replays" if plan.measured else "assumed: none has been measured yet"
    return (
        f"Reads **{plan.events:,} events** ({write_size(plan.size)}) {whence}, with artifact "
        f"`{plan.artifact}`: about **{duration(plan.expected)}** at {plan.rate:,.0f} events/s ({source}), "
        "and half a minute to start."
    )


def _form(form: Form) -> str:
    how = {
        IN_ONE_BATCH: "its stream reads everything, all that there is now at once",
        AT_A_SEAM: "the batch engine writes what is over, the stream goes on from there",
    }
    return f"Rebuilds **{form.name}** ({how[form.name]}): {form.because}."


def table_of(stretches: Sequence[Stretch]) -> str:
    """Return what is read of each partition, and what Kafka and the cold log hold of it."""
    lines = [
        "| topic | partition | Kafka holds from | asked from | up to | events | from the cold log |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {part.topic} | {part.partition} | {part.beginning:,} | {part.asked:,} | {part.end:,} "
        f"| {part.events:,} | {part.cold_events:,} |"
        for part in stretches
    ]
    return "\n".join(lines)


def topics_of(stretches: Sequence[Stretch]) -> str:
    """Return what is read of each topic."""
    topics: dict[str, list[Stretch]] = {}
    for part in stretches:
        topics.setdefault(part.topic, []).append(part)
    lines = ["| topic | partitions | events | from the cold log |", "|---|---:|---:|---:|"]
    lines += [
        f"| {name} | {len(parts)} | {sum(part.events for part in parts):,} "
        f"| {sum(part.cold_events for part in parts):,} |"
        for name, parts in topics.items()
    ]
    return "\n".join([*lines, "", "*Each partition with its offsets: in the log of the task.*"])


def _consequences(plan: Plan) -> list[str]:
    found = []
    if plan.seam_at:
        found.append(
            f"⚠ The new version will hold windows from **{plan.seam_at:%Y-%m-%d %H:%M:%S} UTC** on, and "
            f"**nothing before**: {_why_not_before(plan)}."
        )
    found.append(_readers(plan))
    return found


def _readers(plan: Plan) -> str:
    if plan.publishes is None:
        return "No other view reads it, and it has no output topic."
    who = ", ".join(f"`{name}`" for name in plan.dependants)
    read = f", which {who} {'read' if len(plan.dependants) > 1 else 'reads'}," if who else ""
    return (
        f"Its output topic `{plan.publishes}`{read} hears nothing of {plan.candidate} before its promotion."
    )


def _why_not_before(plan: Plan) -> str:
    if plan.start == EARLIEST:
        return "the log no longer holds all events of older ones"
    return "start at `earliest` to keep all that the log holds"


def duration(time: timedelta) -> str:
    """Write a duration for people."""
    seconds = time.total_seconds()
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
