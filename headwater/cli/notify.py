"""The command that runs the notifier."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

from headwater.forms import Id, checked
from headwater.settings import Settings

commands = typer.Typer()


@commands.command()
def notify(
    name: Annotated[
        str | None,
        typer.Option(
            parser=checked("name", Id),
            help="Started again under the same name, it takes its place back at once.",
        ),
    ] = None,
) -> None:
    """Turn alerts into notifications, exactly once, and deliver them; several may run at once."""
    from headwater import notifier
    from headwater.stopping import stop_on_signal

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("kafka").setLevel(logging.ERROR)
    settings = Settings.load()
    channels = notifier.chosen_channels(settings.notification_channels)
    with stop_on_signal() as stop:
        notifier.run(settings, notifier.Route(), channels, stop, name)
