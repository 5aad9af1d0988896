"""Commands for people: what the shop knows of one, and erasing it."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.printing import print_table, say
from headwater.forms import Id, Line, checked
from headwater.settings import Settings

commands = typer.Typer(
    no_args_is_help=True, help="People: what the shop knows of them, opened with their key."
)
erasing = typer.Typer()
Person = Annotated[
    str, typer.Argument(parser=checked("person", Id), help="The id of a person, e.g. user-0001.")
]


@commands.command("show")
def show_person(person: Person) -> None:
    """Show what the shop's tables hold of a person, or that it is erased."""
    from headwater import erasure
    from headwater.people.showing import rows_of

    settings = Settings.load()
    for table, rows in rows_of(settings, person).items():
        say(table)
        print_table(rows[0], (tuple(row.values()) for row in rows))
    if erased := erasure.status(settings, person):
        proved = erased["proved_at"]
        proof = f"proved {proved:%Y-%m-%d %H:%M}" if proved else "not proved yet: run `headwater erase` again"
        say(f"{person} was erased {erased['begun_at']:%Y-%m-%d %H:%M} ({erased['reason']}); {proof}")


@erasing.command()
def erase(
    person: Person,
    reason: Annotated[str, typer.Option(help="Why, for the record; it is kept, so name nobody.")],
    by: Annotated[
        str, typer.Option(parser=checked("by", Line), help="Who says so, for the record.")
    ] = "command line",
) -> None:
    """Erase a person: destroy their key, remove what was never sealed, and prove it."""
    from headwater import erasure
    from headwater.forms import Erasure

    request = Erasure.check({"person": person, "reason": reason})
    say(str(erasure.erase(Settings.load(), request, by, say)))
