"""Commands for carts: what is in them, why, and the service that decides."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 -- typer reads it
from typing import Annotated

import typer

from headwater.cli.printing import print_table, say
from headwater.cli.service import ServiceName, serving
from headwater.settings import Settings

commands = typer.Typer(no_args_is_help=True, help="Carts: what is in them, now or at any time, and why.")


@commands.command("show")
def show_cart(
    cart: str,
    at: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%dT%H:%M:%S%z"], help="As it was then, e.g. 2026-01-05T12:00:00+00:00."),
    ] = None,
) -> None:
    """Show what is in a cart, now or at a time, by the view `cart_history`: fast, a minute or two behind."""
    from headwater.carts.showing import show

    found = show(Settings.load(), cart, at)
    since = found.held_from.isoformat(" ", "seconds")
    until = f"until {found.held_until.isoformat(' ', 'seconds')}" if found.held_until else "until now"
    state = "checked out" if found.checked_out else "open"
    say(f"{cart}: version {found.version}, {state}, of {found.user_id}, from {since} {until}")
    print_table(("product", "quantity"), found.lines.items())


@commands.command("why")
def audit_cart(cart: str) -> None:
    """Show all that was decided about a cart, by the log: events and rejections with their places."""
    from headwater.carts import Route
    from headwater.carts.auditing import audit

    for at, place, what, outcome in audit(Settings.load(), Route(), cart):
        say(f"{at.isoformat(' ', 'milliseconds')}  {place}  {what}: {outcome}")


@commands.command("decide")
def decide_commands(name: ServiceName = None) -> None:
    """Run the service that decides commands, exactly once; several may run at once."""
    from headwater import carts

    with serving() as stop:
        carts.run(Settings.load(), carts.Route(), stop, name)
