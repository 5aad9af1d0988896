"""Commands for topics."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated

import typer

from headwater.cli.printing import print_table, say
from headwater.settings import Settings
from headwater.topics.quantities import write_size

commands = typer.Typer(no_args_is_help=True, help="Topics: compare the files with Kafka, and apply them.")
FixDrift = Annotated[bool, typer.Option(help="Also alter settings and access that differ from the files.")]
Grow = Annotated[bool, typer.Option(help="Also add partitions; keys move to other partitions.")]


@commands.command("show")
def show_topics() -> None:
    """Show what Kafka keeps of each topic: records, bytes on disk, and for how long."""
    from headwater import retention
    from headwater.topics import load_topics

    parts = retention.usage(Settings.load(), load_topics())
    rows = []
    for topic, found in groupby(parts, key=lambda part: part.topic):
        of_topic = list(found)
        records = sum(part.end - part.beginning for part in of_topic)
        size, kept = sum(part.size for part in of_topic), of_topic[0].retention
        rows.append((topic, len(of_topic), f"{records:,}", write_size(size), kept or "forever"))
    print_table(("topic", "partitions", "records", "on disk", "kept"), rows)
    say(f"{write_size(sum(part.size for part in parts))} on disk")


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
