"""Commands for the platform as a whole."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.printing import console, print_table
from headwater.errors import Refusal
from headwater.settings import TOLD, Settings
from headwater.topics.quantities import write_size

if TYPE_CHECKING:
    from headwater.retention import Margin

commands = typer.Typer()


@commands.command()
def up() -> None:
    """Start everything; repeating it changes nothing."""
    from headwater.local import platform

    platform.up()


@commands.command()
def down() -> None:
    """Stop everything; data stays."""
    from headwater.local import platform

    platform.down()


@commands.command()
def clean() -> None:
    """Stop everything and remove its data."""
    from headwater.local import platform

    platform.clean()


@commands.command()
def check() -> None:
    """Ask every part of an environment whether it is there and lets us work; change nothing."""
    from headwater import checking

    settings = Settings.load()
    checking.check(settings)
    console.print(f'environment "{settings.instance}" is ready')


@commands.command()
def prepare() -> None:
    """Make topics, registry, the shop's tables and the connector, where `up` has made nothing."""
    from headwater import capture, registry
    from headwater.shop import database
    from headwater.topics import load_topics
    from headwater.topics.applying import apply
    from headwater.topics.plan import plan

    settings = Settings.load()
    apply(settings, plan(settings, load_topics()))
    registry.migrate(settings)
    database.migrate(settings)
    if settings.connect_url.startswith("http"):
        capture.follow(settings)


@commands.command()
def status() -> None:
    """Show what runs: the parts, if they are ours, and the streaming queries with their lag.

    Time and bytes left: until Kafka lets go the first record that a query has not read.
    """
    from headwater import observing, retention

    settings = Settings.load()
    if TOLD not in os.environ and not _show_parts(settings):
        console.print("\nPostgreSQL does not run, so nothing is known of the apps: `make up` starts it")
        return
    console.print()
    queries, margins = observing.observe(settings), {}
    with suppress(Refusal):  # a status must be had when Kafka does not answer, too
        margins = retention.of_queries(settings) if queries else {}
    print_table(
        ("app", "query", "state", "batch", "lag", "behind", "rows/s", "time left", "bytes left"),
        (
            (query.app, query.query, query.state, query.batch, query.lag, query.behind, query.rows_per_second,
             *_left(margins.get(query.query)))
            for query in queries
        ),
    )  # fmt: skip


def _left(margin: Margin | None) -> tuple[object, object]:
    """Return what is left of time and bytes; nothing where nothing is in danger."""
    if margin is None or (margin.time_left is None and not margin.lost):
        return None, None
    return f"{margin.lost:,} lost" if margin.lost else margin.time_left, write_size(margin.bytes_left)


@commands.command()
def maintain(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
) -> None:
    """Rewrite small files, expire snapshots, remove what nobody needs; every night Airflow does it."""
    from headwater import jobs

    jobs.run(Settings.load(), "maintain", *(["--dry-run"] if dry_run else []))


def _show_parts(settings: Settings) -> bool:
    """Show the parts that `up` has started; say whether PostgreSQL is among them."""
    from headwater.local import parts

    running = parts.observe(settings)
    print_table(
        ("part", "state", "pid", "port", "uptime"),
        ((part.name, part.state, part.pid, part.port, part.uptime) for part in running),
    )
    return any(part.part == "postgres" and part.state == "running" for part in running)


@commands.command()
def logs(name: Annotated[str, typer.Argument(help="A part or program, e.g. kafka, or an app.")]) -> None:
    """Follow the log of a part or of an app."""
    from headwater import apps
    from headwater.local import platform

    try:
        paths = platform.log_paths(name)
    except Refusal:  # no part; perhaps an app, but to know that PostgreSQL must answer
        paths = apps.log_paths(Settings.load(), name)
        if not paths:
            raise
    subprocess.run(["tail", "-n", "100", "-F", *paths], check=False)
