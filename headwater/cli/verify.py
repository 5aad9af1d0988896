"""Commands that ask whether a view is right: by replaying a slice of it, and by explaining one row."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater import declared
from headwater.forms import View as KnownView
from headwater.forms import checked
from headwater.settings import Settings

commands = typer.Typer()
View = Annotated[
    str, typer.Argument(parser=checked("view", KnownView), help="A view, e.g. page_views_per_minute.")
]


@commands.command("verify")
def verify_view(
    view: View,
    part: Annotated[
        str | None,
        typer.Option(
            "--slice",
            help="FROM/TO, e.g. 2026-11-16T10:00:00Z/2026-11-16T12:00:00Z; by default the last closed hour.",
        ),
    ] = None,
) -> None:
    """Replay a slice of the log in other batches, and compare with what is served; fails if they differ."""
    from headwater import jobs
    from headwater.verifying import read_slice

    if part is not None:
        read_slice(part)
    jobs.run(Settings.load(), "verify", view, *([] if part is None else ["--slice", part]))


@commands.command("why")
def explain_row(
    view: View,
    key: Annotated[
        list[str], typer.Argument(help="The row: minute_at=2026-11-17T10:05:00Z page=/cart, for example.")
    ],
    events: Annotated[
        bool, typer.Option("--events", help="Show the records, too; what is personal stays sealed.")
    ] = False,
) -> None:
    """Show the records behind one row, proved by the view's own transform."""
    from headwater import jobs
    from headwater.keys import read_key, write_key

    row = write_key(read_key(key, declared.views()[view].keys))
    jobs.run(Settings.load(), "why", view, *(["--events"] if events else []), row)
