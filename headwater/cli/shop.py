"""The command that simulates the customers of the shop."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.errors import Refusal
from headwater.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

commands = typer.Typer()
LONGEST = timedelta(days=3660)
Share = Annotated[float, typer.Option(min=0, max=1, help="A part of all records, between 0 and 1.")]


@commands.command()
def simulate(
    streams: Annotated[
        str, typer.Option(help="Which streams, for example page_views,logins; all if not given.")
    ] = "",
    rate: Annotated[float, typer.Option(help="Events per second, of all streams together.")] = 10.0,
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
    users: Annotated[int, typer.Option(help="How many people there are.")] = 1000,
    changes: Annotated[
        float, typer.Option(help="Rows that change in the shop's database, a second: orders, posts, follows.")
    ] = 0.0,
    partition: Annotated[int | None, typer.Option(help="Send everything to this partition.")] = None,
    out_of_order: Share = 0.05,
    late: Share = 0.01,
    repeated: Share = 0.01,
    wrong_clock: Share = 0.02,
    malformed: Share = 0.001,
) -> None:
    """Simulate the customers of the shop."""
    from headwater.shop import STREAMS, Simulation
    from headwater.shop import simulate as run

    simulation = Simulation(
        streams=tuple(name.strip() for name in streams.split(",")) if streams else tuple(STREAMS),
        seed=seed,
        rate=rate,
        start=start,
        duration=_duration(minutes) if minutes is not None else None,
        count=count,
        users=users,
        changes=changes,
        partition=partition,
        out_of_order=out_of_order,
        late=late,
        repeated=repeated,
        wrong_clock=wrong_clock,
        malformed=malformed,
    )
    settings = Settings.load()
    if start is not None:
        refuse_a_past_behind_the_present(settings, simulation.topics)
    run(settings, simulation, report=lambda line: print(line, flush=True))


def _duration(minutes: float) -> timedelta:
    if not 0 < minutes <= LONGEST.total_seconds() / 60:  # so that "nan" is refused, too
        raise Refusal(
            f"{minutes:g} minutes cannot be simulated",
            hint=f"Choose more than 0 and at most {LONGEST.days} days.",
        )
    return timedelta(minutes=minutes)


def refuse_a_past_behind_the_present(settings: Settings, topics: Iterable[str]) -> None:
    """Refuse a log in which time runs backwards: it would stop the apps that follow it."""
    from headwater import offsets
    from headwater.brokers import admin_client

    with admin_client(settings, "simulator") as client:
        held = {topic: sum(offsets.ends(client, topic).values()) for topic in topics}
    for topic, events in held.items():
        if events:
            raise Refusal(
                f'topic "{topic}" already holds events',
                detail=f"A past after {events:,} events would be older than what the apps have forgotten.",
                hint="Load it into a new instance before its first app starts, or simulate without --start.",
            )
