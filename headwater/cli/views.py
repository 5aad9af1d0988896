"""Commands for views."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.printing import print_table
from headwater.settings import Settings

commands = typer.Typer(no_args_is_help=True, help="Views: look at what they serve, and at their versions.")


@commands.command("show")
def show_view(
    name: str, rows: Annotated[int, typer.Option(min=1, max=1000, help="How many of the newest rows.")] = 20
) -> None:
    """Show the newest rows of a view."""
    from headwater import lake

    newest = lake.newest_rows(Settings.load(), name, rows)
    print_table(newest.column_names, (tuple(row.values()) for row in newest.to_pylist()))


@commands.command("versions")
def show_versions(
    name: Annotated[str | None, typer.Argument(help="A view; all of them if none is named.")] = None,
) -> None:
    """Show the versions of views: which is live, which are warm, and the code they run."""
    from headwater.registry import connect, releases

    with connect(Settings.load()) as registry:
        versions = releases.versions(registry, name)
    print_table(
        ("view", "version", "status", "since", "artifact"),
        ((row["view"], row["label"], row["status"], row["status_at"], row["artifact"]) for row in versions),
    )
