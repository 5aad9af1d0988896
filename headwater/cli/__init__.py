"""The command line: `headwater --help`."""

from __future__ import annotations

import reprlib
import sys

import typer
from rich.console import Console

from headwater.cli import (
    apps,
    batch_layer,
    capture,
    carts,
    cold_log,
    notify,
    people,
    platform,
    replay,
    shop,
    topics,
    verify,
    views,
)
from headwater.errors import Refusal

LONGEST_WORD = 10_000

cli = typer.Typer(no_args_is_help=True, add_completion=False, help="Run and look after a Headwater platform.")
for commands in (platform, shop, notify, verify):
    cli.add_typer(commands.commands)
for single in (replay.moves, capture.restoring, people.erasing):
    cli.add_typer(single)
cli.add_typer(topics.commands, name="topics")
cli.add_typer(apps.commands, name="apps")
cli.add_typer(capture.commands, name="capture")
cli.add_typer(people.commands, name="people")
cli.add_typer(cold_log.commands, name="cold")
cli.add_typer(views.commands, name="views")
cli.add_typer(carts.commands, name="carts")
cli.add_typer(replay.commands, name="replay")
cli.add_typer(batch_layer.commands, name="batch")


def main() -> None:
    """Run a command; a refusal ends it with its three parts on standard error."""
    try:
        refuse_what_is_no_text(sys.argv[1:])
        cli()
    except Refusal as refusal:
        errors = Console(stderr=True)
        errors.print(refusal.primary, style="bold red", markup=False)
        for part in filter(None, (refusal.detail, refusal.hint)):
            errors.print(part, markup=False, soft_wrap=True)
        sys.exit(1)


def refuse_what_is_no_text(words: list[str]) -> None:
    """Refuse what no command can mean: several lines, control characters, broken encodings, whole books."""
    for number, word in enumerate(words, start=1):
        if not word.isprintable() or len(word) > LONGEST_WORD:
            raise Refusal(
                f"argument {number} is not a line of text",
                detail=f"It is: {reprlib.repr(word)}.",
                hint=f"Write at most {LONGEST_WORD:,} letters without line breaks or control characters.",
            )
