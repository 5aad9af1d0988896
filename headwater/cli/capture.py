"""Commands for change data capture."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.printing import print_table, say
from headwater.settings import Settings

commands = typer.Typer(no_args_is_help=True, help="Change data capture: the shop's database in the log.")
restoring = typer.Typer()


@commands.command("status")
def show_status() -> None:
    """Show how the capture is, and what the database keeps for it."""
    from headwater.capture.slot import slot
    from headwater.capture.worker import worker_of
    from headwater.shop import database

    settings = Settings.load()
    with database.connect(settings) as shop:
        kept = slot(shop, database.DATABASE)
    state = worker_of(settings).state(database.DATABASE)
    print_table(
        ("connector", "tasks", "slot", "log kept"),
        [
            (
                state.connector.lower() if state else "none",
                ", ".join(task.lower() for task in state.tasks) if state else "",
                kept.status if kept else "none",
                f"{kept.kept / 1024**2:,.1f} MB" if kept else "",
            )
        ],
    )
    if state and state.trace:
        say(state.trace)


@commands.command("config")
def show_config() -> None:
    """Print the connector's configuration as Terraform's environment aws takes it: a file of variables."""
    import json

    from headwater.capture.connector import connector
    from headwater.shop import database
    from headwater.topics import load_topics

    wanted = connector(Settings.load(), load_topics().values(), database.DATABASE)
    print(json.dumps({"connector": wanted}, indent=2))


@commands.command("read-again")
def read_again(table: Annotated[str, typer.Argument(help="A table, for example users.")]) -> None:
    """Read a table once more while its changes go on."""
    from headwater.capture.again import read_again

    read_again(Settings.load(), table)
    say(f'table "{table}" is read again; its rows come into the log bit by bit')


@commands.command("start-over")
def start_over() -> None:
    """Begin anew with a snapshot of all tables, when the database has let go what was not read."""
    from headwater.capture.again import start_over

    start_over(Settings.load())
    say("the capture begins anew, with all rows of all tables; rows deleted meanwhile are not told of")


@restoring.command()
def restore(
    table: Annotated[str, typer.Argument(help="A captured table, for example users.")],
    into: Annotated[str, typer.Option(help="A database of the shop's server, in which the table is empty.")],
) -> None:
    """Make a table anew, from its changelog alone."""
    from headwater.restoring import restore

    written = restore(Settings.load(), table, into, say)
    say(f'table "{table}" of database "{into}" has {written:,} rows')
