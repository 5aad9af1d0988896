"""Commands for the batch layer: the same functions that its DAG calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markdown import Markdown

from headwater.cli.printing import console, print_table, say
from headwater.forms import Day, checked
from headwater.forms import View as KnownView
from headwater.settings import Settings

if TYPE_CHECKING:
    from datetime import date

commands = typer.Typer(
    no_args_is_help=True,
    help="The batch layer: closed days of views, computed once more from the cold log, and served.",
)
known_view, known_day = checked("view", KnownView), checked("day", Day)
AnyView = Annotated[
    str | None, typer.Argument(parser=known_view, help="A view; all of them if none is named.")
]
# What the parser makes of it is a date.
ADay = Annotated[Any, typer.Option("--day", parser=known_day, help="A day in UTC, e.g. 2026-11-16.")]


@commands.command("run")
def run_batch_layer(view: AnyView = None, day: ADay = None) -> None:
    """Compute the closed days that are due, or one day, compare them with the speed layer, and serve them."""
    from headwater import batch_layer, jobs

    settings = Settings.load()
    jobs.run(settings, "batch", day.isoformat() if day else "due", *([view] if view else []))
    outcomes, words = batch_layer.latest(settings)
    console.print(Markdown(words))
    batch_layer.refuse_what_failed(outcomes)


@commands.command("status")
def show_batch_layer(view: AnyView = None) -> None:
    """Show which days of each view come from the batch layer, and on which the layers do not agree."""
    from headwater import batch_layer

    print_table(
        ("view", "version", "days", "rows", "differ", "withdrawn", "computed"),
        (tuple(found.values()) for found in batch_layer.status(Settings.load(), view)),
    )


@commands.command("withdraw")
def withdraw_day(
    view: Annotated[str, typer.Argument(parser=known_view, help="A view, e.g. page_views_per_minute.")],
    day: Annotated[Any, typer.Argument(parser=known_day, help="A day in UTC, e.g. 2026-11-16.")],
) -> None:
    """Serve a day from the speed layer, until it is run again."""
    from headwater import batch_layer

    chosen: date = day
    say(batch_layer.withdraw(Settings.load(), view, chosen))
