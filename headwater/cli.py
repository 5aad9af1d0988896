"""The command line: `headwater --help`."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from headwater.errors import Refusal
from headwater.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

cli = typer.Typer(no_args_is_help=True, add_completion=False, help="Run and look after a Headwater platform.")
topics_cli = typer.Typer(no_args_is_help=True, help="Topics: compare the files with Kafka, and apply them.")
apps_cli = typer.Typer(no_args_is_help=True, help="Streaming apps: deploy and stop them.")
views_cli = typer.Typer(no_args_is_help=True, help="Views: look at what they serve.")
cli.add_typer(topics_cli, name="topics")
cli.add_typer(apps_cli, name="apps")
cli.add_typer(views_cli, name="views")

console = Console()
Apps = Annotated[list[str] | None, typer.Argument(help="Names of apps; all of them if none is named.")]
FixDrift = Annotated[bool, typer.Option(help="Also alter settings and access that differ from the files.")]
Grow = Annotated[bool, typer.Option(help="Also add partitions; keys move to other partitions.")]
Share = Annotated[float, typer.Option(min=0, max=1, help="A part of all records, between 0 and 1.")]


def main() -> None:
    """Run a command; a refusal ends it with its three parts on standard error."""
    try:
        cli()
    except Refusal as refusal:
        errors = Console(stderr=True)
        errors.print(refusal.primary, style="bold red", markup=False)
        for part in filter(None, (refusal.detail, refusal.hint)):
            errors.print(part, markup=False, soft_wrap=True)
        sys.exit(1)


@cli.command()
def up() -> None:
    """Start everything; repeating it changes nothing."""
    from headwater.local import platform

    platform.up()


@cli.command()
def down() -> None:
    """Stop everything; data stays."""
    from headwater.local import platform

    platform.down()


@cli.command()
def clean() -> None:
    """Stop everything and remove its data."""
    from headwater.local import platform

    platform.clean()


@cli.command()
def status() -> None:
    """Show what runs: the parts, and the streaming queries with their lag."""
    from headwater import observing
    from headwater.local import parts

    settings = Settings.load()
    running = parts.observe(settings)
    _print_table(
        ("part", "state", "pid", "port", "uptime"),
        ((part.name, part.state, part.pid, part.port, part.uptime) for part in running),
    )
    if not any(part.part == "postgres" and part.state == "running" for part in running):
        console.print("\nPostgreSQL does not run, so nothing is known of the apps: `make up` starts it")
        return
    console.print()
    _print_table(
        ("app", "query", "state", "batch", "lag", "behind", "rows/s"),
        (
            (query.app, query.query, query.state, query.batch, query.lag, query.behind, query.rows_per_second)
            for query in observing.observe(settings)
        ),
    )


@cli.command()
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


@topics_cli.command("plan")
def plan_topics(fix_drift: FixDrift = False, grow: Grow = False) -> None:
    """Say what differs between the topics' files and Kafka; change nothing."""
    from headwater.topics import load_topics
    from headwater.topics.plan import plan

    for line in plan(Settings.load(), load_topics(), fix_drift=fix_drift, grow=grow).lines():
        console.print(line, markup=False, soft_wrap=True)


@topics_cli.command("apply")
def apply_topics(fix_drift: FixDrift = False, grow: Grow = False) -> None:
    """Make topics and access that are missing."""
    from headwater.topics import load_topics
    from headwater.topics.applying import apply
    from headwater.topics.plan import plan

    settings = Settings.load()
    planned = plan(settings, load_topics(), fix_drift=fix_drift, grow=grow)
    apply(settings, planned)
    for line in planned.lines():
        console.print(line, markup=False, soft_wrap=True)


@apps_cli.command("deploy")
def deploy_apps(names: Apps = None) -> None:
    """Pack the code and make apps run it; an app that already does is left alone."""
    from headwater import apps

    apps.deploy(Settings.load(), names or (), report=console.print)


@apps_cli.command("stop")
def stop_apps(names: Apps = None) -> None:
    """Stop apps between two batches."""
    from headwater import apps

    apps.stop(Settings.load(), names or (), report=console.print)


@views_cli.command("show")
def show_view(
    name: str, rows: Annotated[int, typer.Option(min=1, max=1000, help="How many of the newest rows.")] = 20
) -> None:
    """Show the newest rows of a view."""
    from headwater import lake

    newest = lake.newest_rows(Settings.load(), name, rows)
    _print_table(newest.column_names, (tuple(row.values()) for row in newest.to_pylist()))


@cli.command()
def simulate(
    rate: Annotated[float, typer.Option(help="Events per second.")] = 10.0,
    seed: Annotated[int, typer.Option(help="The same seed and options give the same events.")] = 1,
    minutes: Annotated[float | None, typer.Option(help="How long; until stopped if not given.")] = None,
    count: Annotated[int | None, typer.Option(help="How many records.")] = None,
    start: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%dT%H:%M:%S%z"],
            help="Load a past, from this time on, into a log that holds nothing yet.",
        ),
    ] = None,
    partition: Annotated[int | None, typer.Option(help="Send everything to this partition.")] = None,
    out_of_order: Share = 0.05,
    late: Share = 0.01,
    repeated: Share = 0.01,
    wrong_clock: Share = 0.02,
    malformed: Share = 0.001,
) -> None:
    """Simulate the customers of the shop."""
    from headwater.shop import Simulation
    from headwater.shop import simulate as run

    simulation = Simulation(
        seed=seed,
        rate=rate,
        start=start,
        duration=timedelta(minutes=minutes) if minutes is not None else None,
        count=count,
        partition=partition,
        out_of_order=out_of_order,
        late=late,
        repeated=repeated,
        wrong_clock=wrong_clock,
        malformed=malformed,
    )
    settings = Settings.load()
    if start is not None:
        _refuse_a_past_behind_the_present(settings, simulation.topic)
    run(settings, simulation, report=lambda line: print(line, flush=True))


def _refuse_a_past_behind_the_present(settings: Settings, topic: str) -> None:
    """Refuse a log in which time runs backwards: it would stop the apps that follow it."""
    from headwater import offsets
    from headwater.brokers import admin_client

    with admin_client(settings, "simulator") as client:
        held = sum(offsets.ends(client, topic).values())
    if held:
        raise Refusal(
            f'topic "{topic}" already holds events',
            detail=f"A past after {held:,} events would be older than what the apps have already forgotten.",
            hint="Load it into a new instance before its first app starts, or simulate without --start.",
        )


def _print_table(columns: Iterable[str], rows: Iterable[tuple[object, ...]]) -> None:
    table = Table(*columns, box=None)
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    console.print(table)


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case timedelta():
            return str(timedelta(seconds=int(value.total_seconds())))
        case float():
            return f"{value:,.1f}"
        case datetime():
            return value.isoformat(" ", "seconds")
        case _:
            return str(value)


if __name__ == "__main__":
    main()
