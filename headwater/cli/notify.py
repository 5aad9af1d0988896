"""The command that runs the notifier."""

from __future__ import annotations

import typer

from headwater.cli.service import ServiceName, serving
from headwater.settings import Settings

commands = typer.Typer()


@commands.command()
def notify(name: ServiceName = None) -> None:
    """Turn alerts into notifications, exactly once, and deliver them; several may run at once."""
    from headwater import notifier

    settings = Settings.load()
    channels = notifier.chosen_channels(settings.notification_channels, settings.secret)
    with serving() as stop:
        notifier.run(settings, notifier.Route(), channels, stop, name)
