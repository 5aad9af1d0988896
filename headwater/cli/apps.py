"""Commands for streaming apps."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.printing import say
from headwater.forms import App, checked
from headwater.settings import Settings

commands = typer.Typer(no_args_is_help=True, help="Streaming apps: deploy, restart, stop and supervise them.")
Apps = Annotated[list[str] | None, typer.Argument(help="Names of apps; all of them if none is named.")]


Groups = Annotated[
    list[str] | None,
    typer.Argument(parser=checked("app", App), help="Names of apps; all of them if none is named."),
]


@commands.command("deploy")
def deploy_apps(names: Groups = None) -> None:
    """Pack the code and make apps run it; an app that already does is left alone."""
    from headwater import apps

    apps.deploy(Settings.load(), names or (), report=say)


@commands.command("restart")
def restart_apps(names: Apps = None) -> None:
    """End apps between two batches and start them again; also resumes one that was given up."""
    from headwater import apps

    apps.restart(Settings.load(), names or (), report=say)


@commands.command("stop")
def stop_apps(names: Apps = None) -> None:
    """Stop apps between two batches."""
    from headwater import apps

    apps.stop(Settings.load(), names or (), report=say)


@commands.command("supervise")
def supervise_apps() -> None:
    """Look after all apps once, as the DAG `supervise` does every minute."""
    from headwater import supervision

    for done in supervision.look_after_everything(Settings.load()):
        say(done)
