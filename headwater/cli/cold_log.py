"""Commands for the cold log."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.printing import print_table
from headwater.errors import Refusal
from headwater.forms import Topic, checked
from headwater.settings import Settings

commands = typer.Typer(no_args_is_help=True, help="The cold log: every record of every topic, in the lake.")


@commands.command("check")
def check_cold_log(
    names: Annotated[
        list[str] | None,
        typer.Argument(parser=checked("topic", Topic), help="Topics; all of them if none is named."),
    ] = None,
) -> None:
    """Compare what is archived with what Kafka holds, and with the rows that are there."""
    from headwater.cold_log import check
    from headwater.topics import load_topics

    found = check(Settings.load(), names or load_topics())
    print_table(
        ("topic", "partition", "archived", "records", "gaps", "Kafka holds", "verdict"),
        (
            (
                finding.topic,
                finding.partition,
                " ".join(f"{first}–{after - 1}" for first, after in finding.archived.ranges),
                finding.archived.records,
                finding.gaps,
                f"{finding.beginning}–{finding.end - 1}" if finding.end > finding.beginning else "",
                finding.verdict,
            )
            for finding in found
        ),
    )
    if bad := sorted({finding.topic for finding in found if not finding.good}):
        raise Refusal(
            "the cold log is not whole", detail=f"Topics: {', '.join(bad)}.", hint="See docs/cold-log.md."
        )
