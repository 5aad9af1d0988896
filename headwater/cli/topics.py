"""Commands for topics."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.printing import say
from headwater.settings import Settings

commands = typer.Typer(no_args_is_help=True, help="Topics: compare the files with Kafka, and apply them.")
FixDrift = Annotated[bool, typer.Option(help="Also alter settings and access that differ from the files.")]
Grow = Annotated[bool, typer.Option(help="Also add partitions; keys move to other partitions.")]


@commands.command("plan")
def plan_topics(fix_drift: FixDrift = False, grow: Grow = False) -> None:
    """Say what differs between the topics' files and Kafka; change nothing."""
    from headwater.topics import load_topics
    from headwater.topics.plan import plan

    for line in plan(Settings.load(), load_topics(), fix_drift=fix_drift, grow=grow).lines():
        say(line)


@commands.command("apply")
def apply_topics(fix_drift: FixDrift = False, grow: Grow = False) -> None:
    """Make topics and access that are missing."""
    from headwater.topics import load_topics
    from headwater.topics.applying import apply
    from headwater.topics.plan import plan

    settings = Settings.load()
    planned = plan(settings, load_topics(), fix_drift=fix_drift, grow=grow)
    apply(settings, planned)
    for line in planned.lines():
        say(line)
