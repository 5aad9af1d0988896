"""Commands for views."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 -- typer reads it
from typing import Annotated

import typer

from headwater.cli.printing import print_table, say
from headwater.errors import Refusal
from headwater.forms import View, checked
from headwater.settings import Settings

commands = typer.Typer(no_args_is_help=True, help="Views: look at what they serve, and at their versions.")


@commands.command("show")
def show_view(
    name: str,
    rows: Annotated[
        int, typer.Option(min=1, max=1000, help="How many of the newest rows; of tables, by key.")
    ] = 20,
    at: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%dT%H:%M:%S%z"], help="As it was then, e.g. 2026-01-05T12:00:00+00:00."),
    ] = None,
    offset: Annotated[
        str, typer.Option(help="As it was before it read this record, e.g. page_views:0:1500.")
    ] = "",
    serving: Annotated[
        bool, typer.Option("--serving", help="Closed days as the batch layer has them.")
    ] = False,
) -> None:
    """Show the newest rows of a view, or the first by key of a view of tables, now or as they were."""
    from headwater import lake
    from headwater import serving as both_layers
    from headwater.time_travel import Place

    if (at is not None) + bool(offset) + serving > 1:
        raise Refusal("a time, an offset or both layers can be asked for", hint="Choose one of them.")
    place = Place.read(offset) if offset else None
    if serving:
        newest = both_layers.newest_rows(Settings.load(), name, rows)
    else:
        newest = lake.newest_rows(Settings.load(), name, rows, at=at, place=place)
    print_table(newest.column_names, (tuple(row.values()) for row in newest.to_pylist()))


@commands.command("publish")
def publish_views() -> None:
    """Show AWS's own tools what views show now: bring the copy of the catalog in Glue up to date."""
    from headwater import glue

    for view in glue.publish(Settings.load()):
        say(f'view "{view}" is published')


@commands.command("versions")
def show_versions(
    name: Annotated[
        str | None,
        typer.Argument(parser=checked("view", View), help="A view; all of them if none is named."),
    ] = None,
) -> None:
    """Show the versions of views: which is live, which are warm, and the code they run."""
    from headwater.registry import connect, releases

    with connect(Settings.load()) as registry:
        versions = releases.versions(registry, name)
    print_table(
        ("view", "version", "status", "since", "artifact"),
        ((row["view"], row["label"], row["status"], row["status_at"], row["artifact"]) for row in versions),
    )
