"""Running a simulation against an instance."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from kafka.errors import KafkaError

from headwater.errors import Refusal
from headwater.people import keyring
from headwater.shop.counts import Counts
from headwater.shop.database.working import at_work
from headwater.shop.live import send_live
from headwater.shop.loading import load
from headwater.shop.progress import Progress
from headwater.shop.records import records
from headwater.stopping import stop_on_signal
from headwater.topics import load_topics

if TYPE_CHECKING:
    from collections.abc import Callable

    from headwater.settings import Settings
    from headwater.shop.simulation import Simulation


def simulate(settings: Settings, simulation: Simulation, report: Callable[[str], object] = print) -> Counts:
    """Send a simulation: live, at its rate, when it has no start; otherwise as fast as possible.

    Ends when the simulation does, or on SIGTERM or SIGINT, each time when all that was taken is delivered.
    """
    counts = Counts()
    progress = Progress(counts, report)
    try:
        with stop_on_signal() as stop, keyring(settings) as keys:
            if simulation.start is None:
                with at_work(settings, simulation):
                    coming = records(simulation, datetime.now(UTC), keys.seal)
                    send_live(settings, coming, counts, progress, stop)
            else:
                _warn_of_retention(simulation, report)
                coming = records(simulation, seal=cache(keys.seal))
                load(settings, coming, counts, progress, stop)
    except KafkaError as error:
        raise _refusal(settings, simulation, error) from error
    progress.end()
    return counts


def _warn_of_retention(simulation: Simulation, report: Callable[[str], object]) -> None:
    """Say when Kafka will soon delete what is loaded: it counts retention from a record's own timestamp."""
    if simulation.start is None:
        return
    age = datetime.now(UTC) - simulation.start
    declared = load_topics()
    for topic in (declared[name] for name in simulation.streams):
        if topic.retention is not None and age > topic.retention:
            days = topic.retention.total_seconds() / 86_400
            report(f'topic "{topic.name}" keeps {days:g} days: Kafka will soon delete what is older')


def _refusal(settings: Settings, simulation: Simulation, error: KafkaError) -> Refusal:
    return Refusal(
        f"the simulation could not be sent to {' '.join(simulation.topics)}",
        detail=f"{type(error).__name__}: {error} (Kafka at {settings.kafka_bootstrap_servers})",
        hint="See `make status`, and whether `headwater topics plan` finds the topics in step.",
    )
